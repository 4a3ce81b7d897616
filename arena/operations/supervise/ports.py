"""Choose the ports of an arena on one machine."""

import errno
import fcntl
import os
import socket
import tempfile
from collections.abc import Collection
from contextlib import ExitStack, suppress
from pathlib import Path

from arena.base.errors import Unavailable


class Claims(ExitStack):
    """Context manager that reserves the ports of one arena.

    A chosen port stays free until its process listens. A lock file per port keeps two arenas that
    start at the same time from choosing the same one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ports: set[int] = set()

    def choose(self, host: str, port: int, what: str, *, insist: bool = False) -> int:
        """Return the wanted port if it is free, else any free port. 0 stands for any.

        With `insist`, raises Unavailable if the wanted port is in use; always if `host` is not this
        machine.
        """
        if port and port not in self._ports and is_free(host, port) and self._claim(port):
            return port
        if port and insist:
            raise Unavailable(
                f"Port {port}, wanted for the {what}, is in use on {host}. "
                "Stop the program that uses it, or choose another port, or 0 for any."
            )
        while not self._claim(found := any_free(host, self._ports)):
            pass
        return found

    def _claim(self, port: int) -> bool:
        """Whether no other arena has reserved the port; also True if locks are impossible."""
        with suppress(OSError):
            folder = Path(tempfile.gettempdir(), f"lama-arena-{os.getuid()}")
            folder.mkdir(mode=0o700, exist_ok=True)
            lock = self.enter_context((folder / str(port)).open("a"))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        self._ports.add(port)
        return True


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there. Raises Unavailable if `host` is not this machine."""
    with socket.socket(_family(host)) as probe:
        # As servers do, to ignore connections in TIME_WAIT.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except PermissionError:
            raise Unavailable(f"Port {port} is not permitted. Choose one above 1023.") from None
        except OSError as error:
            if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
                raise _not_ours(host, error) from None
            return False
    return True


def any_free(host: str, besides: Collection[int] = ()) -> int:
    """Return a port that is free at this moment."""
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
        f"Cannot listen on {host} ({error.strerror}). Use an address of this machine."
    )
