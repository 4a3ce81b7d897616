"""Has an upload unpacked in a jail."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.errors import InvalidRequest, Unavailable
from arena.hosted.inside import unpacker
from arena.hosted.program import PACKAGE
from arena.jail import Inmate, Jail, start
from arena.jail.jail import MB
from arena.submission import tree as tree_format
from arena.submission.files import BUILT

WITHIN_S = 60.0
ENDS_WITHIN_S = 2.0  # once it has hung up
MEMORY_MB = 512
LARGEST_TREE = BUILT.total_bytes + 512 * BUILT.files
AT_ONCE = 1 << 18


async def unpacked(jail: Jail, source: bytes) -> bytes:
    """The files of an upload, as a stream of `arena.submission.tree`, which is as little to be
    trusted as the upload was. Raises InvalidRequest with a sentence for the author, Unavailable if
    it is ours that failed."""
    ours, theirs = socket.socketpair()
    with ours, _empty_folder() as folder:
        with theirs:
            inmate = Inmate(
                main=unpacker.__name__,
                arguments={"connection": theirs.fileno(), "memory": MEMORY_MB * MB},
                folder=folder,
                readable=(PACKAGE,),
                path=(PACKAGE.parent,),
                descriptors=(theirs.fileno(),),
            )
            process = start(jail, inmate, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            tree = await asyncio.wait_for(_exchanged(ours, source), WITHIN_S)
        except TimeoutError:
            raise InvalidRequest(
                f"It was not unpacked within {WITHIN_S:g} s: submit something smaller."
            ) from None
        finally:
            said = await asyncio.to_thread(_ended, process)
    if tree is None:
        raise InvalidRequest("Unpacked it is larger than a bot may be.")
    if process.returncode == unpacker.REFUSED:
        raise InvalidRequest(said)
    if not tree.endswith(tree_format.END):
        raise Unavailable(f"Unpacking failed: {said[-500:]}")
    return tree


@contextmanager
def _empty_folder() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def _ended(process: subprocess.Popen[bytes]) -> str:
    """What it said on standard error, when it has ended."""
    try:
        said = process.communicate(timeout=ENDS_WITHIN_S)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        said = process.communicate()[1]
    return said.decode(errors="replace")


async def _exchanged(connection: socket.socket, source: bytes) -> bytes | None:
    """Sends the upload, and takes what comes back; None if that is too much."""
    loop = asyncio.get_running_loop()
    connection.setblocking(False)
    try:
        await loop.sock_sendall(connection, source)
        connection.shutdown(socket.SHUT_WR)
        tree = bytearray()
        while part := await loop.sock_recv(connection, AT_ONCE):
            tree += part
            if len(tree) > LARGEST_TREE:
                return None
    except ConnectionError:
        return b""
    return bytes(tree)
