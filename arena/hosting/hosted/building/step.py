"""One step of a build: bytes go into a sandbox, the stream of a tree comes out."""

from __future__ import annotations

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
from arena.hosting.sandbox import ProcessSpec, Sandbox, start
from arena.hosting.sandbox.sandbox import MB
from arena.hosting.submission import tree as tree_format
from arena.hosting.submission.files import Limits

ENDS_WITHIN_S = 2.0  # once it has hung up
AT_ONCE = 1 << 18
LONGEST_LINE = tree_format.LONGEST_LINE


@dataclass(frozen=True, slots=True)
class Step:
    """What is done in the sandbox: by `main`, a module of ours, which may read `readable` and finds
    modules beside these."""

    main: ModuleType
    limits: Limits  # of what comes out
    within_s: float
    memory_mb: int
    arguments: Mapping[str, Any] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    descriptors: tuple[int, ...] = ()  # of this process, beside the connection

    def spec(self, folder: Path, connection: int) -> ProcessSpec:
        """What is put into the sandbox, with this connection."""
        arguments = {"connection": connection, "memory": self.memory_mb * MB}
        beside = (PACKAGE.parent, *(place.parent for place in self.readable))
        return ProcessSpec(
            main=self.main.__name__,
            arguments={**self.arguments, **arguments},
            folder=folder,
            readable=(PACKAGE, *self.readable),
            path=tuple(dict.fromkeys(beside)),
            descriptors=(connection, *self.descriptors),
        )

    @property
    def most(self) -> int:
        """The bytes of the longest stream that may come out."""
        return self.limits.total_bytes + LONGEST_LINE * (self.limits.files + 2)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out, which is as little to be trusted as what went in."""

    stream: bytes
    said: str  # notes for the author, or the sentence with which it refused
    status: int
    late: bool = False  # it was ended, since it took too long
    flooded: bool = False  # or since more came than may

    def whole(self, late: str, flooded: str) -> bytes:
        """The stream, if it is whole. Raises InvalidRequest with the sentence of the sandbox, or
        with one of these; Unavailable if it is ours that failed."""
        if self.late or self.flooded:
            raise InvalidRequest(late if self.late else flooded)
        if self.status == REFUSED:
            raise InvalidRequest(self.said)
        if not self.stream.endswith(tree_format.END):
            raise Unavailable(f"A step of the build failed: {self.said[-500:]}")
        return self.stream


async def carry_out(sandbox: Sandbox, step: Step, sent: bytes) -> Outcome:
    """Has it done. Raises Unavailable if the sandbox does not come up."""
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
    return Outcome(bytes(received), said, process.returncode, late, flooded)


@contextmanager
def empty_folder() -> Iterator[Path]:
    """A folder for a sandbox that needs none."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def ended(process: subprocess.Popen[bytes]) -> str:
    """What it said on standard error, when it has ended."""
    try:
        said = process.communicate(timeout=ENDS_WITHIN_S)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        said = process.communicate()[1]
    return said.decode(errors="replace")


async def _exchange(connection: socket.socket, sent: bytes, received: bytearray, most: int) -> None:
    """Sends, and takes what comes back, until that is too much."""
    loop = asyncio.get_running_loop()
    connection.setblocking(False)
    try:
        await loop.sock_sendall(connection, sent)
        connection.shutdown(socket.SHUT_WR)
        while (part := await loop.sock_recv(connection, AT_ONCE)) and len(received) <= most:
            received += part
    except ConnectionError:
        return  # how it ended says more
