"""Chooses the ports of an arena on one machine."""

from __future__ import annotations

import errno
import socket
from collections.abc import Collection

from arena.errors import Unavailable


def choose(host: str, port: int, what: str, *, insist: bool, besides: Collection[int] = ()) -> int:
    """The wanted port if it is free and not in `besides`, otherwise any free port.

    0 asks for any free port. With `insist` a wanted port that is taken raises Unavailable.
    """
    if port and port not in besides and is_free(host, port):
        return port
    if port and insist:
        raise Unavailable(
            f"Port {port}, wanted for the {what}, is in use on {host}: "
            "stop the program that uses it, or choose another port, or 0 for any."
        )
    return any_free(host, besides)


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
