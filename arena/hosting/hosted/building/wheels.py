"""Downloads the wheels of a lockfile from the operator's index, and installs wheels below
site-packages/. Each is a step in a sandbox.

The sandbox that downloads has no network. It requests connections and gets open ones: to the index,
and to public servers for files that the index lists. So even a malicious index cannot make it reach
the operator's own network.
"""

import asyncio
import hashlib
import io
import json
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from arena.base.errors import InvalidRequest
from arena.base.extras import missing
from arena.hosting.hosted.building.step import Step, carry_out
from arena.hosting.hosted.program import installed as of_this_machine
from arena.hosting.sandbox.sandbox import MB, Sandbox
from arena.hosting.submission import artifact, packages
from arena.hosting.submission.files import BUILT, File, FileLimits
from arena.hosting.submission.lock import Pin

FETCHING_S = 120.0
INSTALLING_S = 60.0
IDLE_MB = 256  # of address space, in addition to the packages
CONNECTS_WITHIN_S = 10.0
MOST_CONNECTIONS = 32
LARGEST_REQUEST = 1024
HTTPS = 443
PORTS = {"http": 80, "https": HTTPS}


async def fetched(
    sandbox: Sandbox, pins: Sequence[Pin], index: str, limits: FileLimits
) -> tuple[list[File], str]:
    """Return the wheels of these pins, with their hashes checked, and the log for the author.
    Raises InvalidRequest with a sentence for the author, and Unavailable if the host failed."""
    tags = fitting()  # first, since it reports missing packages
    from arena.hosting.hosted.inside import fetcher

    order = {
        "pins": [asdict(pin) for pin in pins],
        "index": index,
        "tags": tags,
        "authorities": authorities(),
        "most": limits.total_bytes,
    }
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        opening = asyncio.create_task(Openings(index).serve(ours))
        try:
            step = Step(
                fetcher,
                limits,
                FETCHING_S,
                IDLE_MB + 4 * limits.total_bytes // MB,
                {"control": theirs.fileno()},
                of_this_machine("packaging"),
                (theirs.fileno(),),
            )
            outcome = await carry_out(sandbox, step, json.dumps(order).encode())
        finally:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
    stream = outcome.whole(
        f"Downloading the locked packages took longer than {FETCHING_S:g} s. Submit again later.",
        "The locked packages exceed the size limit of a bot on this arena.",
    )
    known = {each for pin in pins for each in pin.hashes}
    found = [replace(file, executable=False) for file in artifact.read(io.BytesIO(stream), BUILT)]
    for file in found:
        if hashlib.sha256(file.content).hexdigest() not in known:
            raise InvalidRequest(
                f"The downloaded {file.name} has a hash that is not in the lockfile."
            )
    return packages.wheels_of(found), outcome.said


@cache
def authorities() -> str:
    """Return the certificates that this machine trusts, as PEM; empty if Python has no TLS."""
    try:
        import ssl
    except ImportError:
        return ""
    known = ssl.get_default_verify_paths()
    if known.cafile:
        return Path(known.cafile).read_text()
    folder = Path(known.capath or "/etc/ssl/certs")
    found = sorted({file.resolve() for file in folder.glob("*.0")})
    return "\n".join(file.read_text() for file in found)


@dataclass(frozen=True, slots=True)
class Openings:
    """Opens allow-listed connections on behalf of the sandbox."""

    index: str

    async def serve(self, control: socket.socket) -> None:
        """Serve the requests on this socket until cancelled."""
        control.setblocking(False)
        loop = asyncio.get_running_loop()
        for _ in range(MOST_CONNECTIONS):
            asked = await loop.sock_recv(control, LARGEST_REQUEST)
            if not asked:
                return
            try:
                opened = await self._opened(asked)
            except InvalidRequest as error:
                control.send(str(error).encode())
            else:
                with opened:
                    socket.send_fds(control, [b"open"], [opened.fileno()])
        while await loop.sock_recv(control, LARGEST_REQUEST):
            control.send(f"The build requested more than {MOST_CONNECTIONS} connections.".encode())

    async def _opened(self, asked: bytes) -> socket.socket:
        """Return the requested connection. Raises InvalidRequest."""
        try:
            wanted = json.loads(asked)
            host, port = str(wanted["host"])[:255], range(1 << 16)[int(wanted["port"])]
        except (ValueError, LookupError, TypeError, RecursionError):
            raise InvalidRequest("The build requested an invalid connection.") from None
        try:
            async with asyncio.timeout(CONNECTS_WITHIN_S):
                return await self._connected(host, port)
        except (OSError, ValueError):  # ValueError: an invalid host name
            raise InvalidRequest(
                f"The build host cannot reach {host}. Submit again later."
            ) from None

    async def _connected(self, host: str, port: int) -> socket.socket:
        """Connect. Raises InvalidRequest for a server that is not allowed, and OSError."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        if (host, port) != _server_of(self.index):
            own = await self._own_addresses()
            found = [each for each in found if each[4][:2] in own or _is_public(each[4])]
            if not found:
                raise InvalidRequest(
                    f"Builds may not connect to {host}:{port}. It is neither the arena's package"
                    " index nor a public server with HTTPS."
                )
        failed: OSError | None = None
        for family, kind, protocol, _, address in found:
            connection = socket.socket(family, kind, protocol)
            connection.setblocking(False)
            try:
                await loop.sock_connect(connection, address)
            except BaseException as error:
                connection.close()
                if not isinstance(error, OSError):
                    raise
                failed = error
            else:
                return connection
        raise failed or OSError("There is no address.")

    async def _own_addresses(self) -> set[tuple[Any, ...]]:
        """Return the addresses of the index, which other names may also resolve to."""
        host, port = _server_of(self.index)
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return {each[4][:2] for each in found}


def _server_of(index: str) -> tuple[str, int]:
    place = urlsplit(index)
    return place.hostname or "", place.port or PORTS[place.scheme]


def _is_public(address: tuple[Any, ...]) -> bool:
    with suppress(ValueError):
        found = ip_address(str(address[0]))
        return found.is_global and not found.is_multicast and address[1] == HTTPS
    return False


async def installed(
    sandbox: Sandbox, wheels: Sequence[File], limits: FileLimits
) -> tuple[list[File], str]:
    """Return the files of these wheels, and the log for the author. Raises InvalidRequest with a
    sentence for the author, and Unavailable if the host failed."""
    tags = fitting()  # first, since it reports missing packages
    from arena.hosting.hosted.inside import wheel_installer

    step = Step(
        wheel_installer,
        limits,
        INSTALLING_S,
        IDLE_MB + 4 * limits.total_bytes // MB,
        {"tags": tags, "files": limits.files, "bytes": limits.total_bytes},
        tuple(part for name in ("installer", "packaging") for part in of_this_machine(name)),
    )
    outcome = await carry_out(sandbox, step, b"".join(artifact.write(wheels, BUILT)))
    stream = outcome.whole(
        f"Installing the wheels took longer than {INSTALLING_S:g} s. Use fewer or smaller wheels.",
        "The installed wheels exceed the size limit of a bot on this arena.",
    )
    found = artifact.read(io.BytesIO(stream), limits)
    return [file for file in found if file.name.startswith(f"{packages.FOLDER}/")], outcome.said


@cache
def fitting() -> tuple[str, ...]:
    """Return the wheel tags that fit this Python and machine, the best first. Raises Unavailable if
    the package that computes them is missing."""
    try:
        import installer  # noqa: F401
        from packaging import tags
    except ModuleNotFoundError as error:
        raise missing("Installing a bot's packages", error) from None
    return tuple(str(tag) for tag in tags.sys_tags())
