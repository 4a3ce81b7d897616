"""Chooses the ports of an arena on one machine."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import tempfile
from collections.abc import Collection
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from arena.base.errors import Unavailable


class Claims:
    """The ports of one arena; a context manager. Until it ends, no other arena is given them.

    Between the choice of a port and the moment when a process listens there, the port is free. So
    each is a lock file, without which two arenas that start at once would both take the usual one,
    and the second would find the first one's gateway when it looks for its own.
    """

    def __init__(self) -> None:
        self._ports: set[int] = set()
        self._locks = ExitStack()

    def __enter__(self) -> Self:
        """Begins without any."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Gives them back."""
        self._locks.close()

    def choose(self, host: str, port: int, what: str, *, insist: bool = False) -> int:
        """The wanted port if it is free, otherwise any free port; 0 asks for any.

        With `insist` a wanted port that is taken raises Unavailable. So does a host that is not
        this machine.
        """
        if port and port not in self._ports and is_free(host, port) and self._claim(port):
            return port
        if port and insist:
            raise Unavailable(
                f"Port {port}, wanted for the {what}, is in use on {host}: "
                "stop the program that uses it, or choose another port, or 0 for any."
            )
        while not self._claim(found := any_free(host, self._ports)):
            pass
        return found

    def _claim(self, port: int) -> bool:
        """Whether nobody else has it. Where no lock can be made, nobody is known to have."""
        with suppress(OSError):
            folder = Path(tempfile.gettempdir(), f"lama-arena-{os.getuid()}")
            folder.mkdir(mode=0o700, exist_ok=True)
            lock = self._locks.enter_context((folder / str(port)).open("a"))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        self._ports.add(port)
        return True


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there. Raises Unavailable if `host` is not this machine."""
    with socket.socket(_family(host)) as probe:
        # As servers do, so that a connection in TIME_WAIT is no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except PermissionError:
            raise Unavailable(f"Port {port} is not permitted: choose one above 1023.") from None
        except OSError as error:
            if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
                raise _not_ours(host, error) from None
            return False
    return True


def any_free(host: str, besides: Collection[int] = ()) -> int:
    """A port that is free at this moment."""
    with socket.socket(_family(host)) as probe:
        try:
            probe.bind((host, 0))
        except OSError as error:
            raise _not_ours(host, error) from None
        port: int = probe.getsockname()[1]
    return any_free(host, besides) if port in besides else port


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _not_ours(host: str, error: OSError) -> Unavailable:
    return Unavailable(
        f"Nothing can listen on {host} ({error.strerror}): use an address of this machine."
    )
