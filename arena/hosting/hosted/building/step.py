"""One step of a build: bytes go into a sandbox, a build artifact comes out."""

import asyncio
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from arena.base.errors import InvalidRequest, Unavailable
from arena.hosting.hosted.inside.step import REFUSED
from arena.hosting.hosted.program import PACKAGE
from arena.hosting.sandbox.sandbox import MB, ProcessSpec, Sandbox, start
from arena.hosting.submission import artifact
from arena.hosting.submission.files import FileLimits

ENDS_WITHIN_S = 2.0  # once it has hung up
AT_ONCE = 1 << 18
LONGEST_LINE = artifact.LONGEST_LINE


@dataclass(frozen=True, slots=True)
class Step:
    """A step: our module `main` runs in the sandbox and may read and import from `readable`."""

    main: ModuleType
    limits: FileLimits  # of the output
    within_s: float
    memory_mb: int
    arguments: Mapping[str, Any] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    descriptors: tuple[int, ...] = ()  # to inherit, in addition to the connection

    def spec(self, folder: Path, connection: int) -> ProcessSpec:
        """Return the spec of the sandbox with this connection."""
        arguments = {"connection": connection, "memory": self.memory_mb * MB}
        folders = (PACKAGE.parent, *(place.parent for place in self.readable))
        return ProcessSpec(
            main=self.main.__name__,
            arguments={**self.arguments, **arguments},
            folder=folder,
            readable=(PACKAGE, *self.readable),
            path=tuple(dict.fromkeys(folders)),
            descriptors=(connection, *self.descriptors),
        )

    @property
    def most(self) -> int:
        """Bytes of the longest stream that is accepted."""
        return self.limits.total_bytes + LONGEST_LINE * (self.limits.files + 2)


@dataclass(frozen=True, slots=True)
class StepOutput:
    """The output of a step, which is as untrusted as its input."""

    stream: bytes
    said: str  # notes for the author, or the reason of the refusal
    status: int
    late: bool = False  # killed at the time limit
    flooded: bool = False  # killed at the size limit

    def whole(self, late: str, flooded: str) -> bytes:
        """Return the complete stream. Raises InvalidRequest with the reason of the refusal, or with
        `late` or `flooded`, and Unavailable if the host failed."""
        if self.late or self.flooded:
            raise InvalidRequest(late if self.late else flooded)
        if self.status == REFUSED:
            raise InvalidRequest(self.said)
        if not self.stream.endswith(artifact.END):
            raise Unavailable(f"A step of the build failed: {self.said[-500:]}")
        return self.stream


async def carry_out(sandbox: Sandbox, step: Step, sent: bytes) -> StepOutput:
    """Run a step in the sandbox. Raises Unavailable if the sandbox does not start."""
    ours, theirs = socket.socketpair()
    with ours, empty_folder() as folder:
        with theirs:
            spec = step.spec(folder, theirs.fileno())
            process = start(sandbox, spec, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        received = bytearray()
        late = False
        try:
            async with asyncio.timeout(step.within_s):
                await _exchange(ours, sent, received, step.most)
        except TimeoutError:
            late = True
            process.kill()
        finally:
            ours.close()
            said = await asyncio.to_thread(ended, process)
    flooded = len(received) > step.most
    return StepOutput(bytes(received), said, process.returncode, late, flooded)


@contextmanager
def empty_folder() -> Iterator[Path]:
    """Create an empty folder for a sandbox that needs no files."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def ended(process: subprocess.Popen[bytes]) -> str:
    """Wait for the process to end. Return its standard error."""
    try:
        said = process.communicate(timeout=ENDS_WITHIN_S)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        said = process.communicate()[1]
    return said.decode(errors="replace")


async def _exchange(connection: socket.socket, sent: bytes, received: bytearray, most: int) -> None:
    """Send the input and receive up to `most` bytes."""
    loop = asyncio.get_running_loop()
    connection.setblocking(False)
    try:
        await loop.sock_sendall(connection, sent)
        connection.shutdown(socket.SHUT_WR)
        while (part := await loop.sock_recv(connection, AT_ONCE)) and len(received) <= most:
            received += part
    except ConnectionError:
        return  # its exit status says more
