"""What the steps of a build have in common, in their sandboxes.

Both ways over one socket: bytes come in, the stream of a tree goes out
(`arena.hosting.submission.tree`). What is wrong with what came in is said on standard error, in a
sentence for its author; where nothing is, there may be notes for them, a line each.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from arena.base.errors import InvalidRequest
from arena.hosting.sandbox import enter, seccomp

AT_ONCE = 1 << 16
REFUSED = 3  # exit status
MOST_NOTES, LONGEST_NOTE = 50, 300
TOO_MUCH = "It takes more memory to build this than any bot needs: submit something smaller."

Work = Callable[[bytes], Iterable[bytes]]


def carry_out(arguments: Mapping[str, Any], work: Work) -> None:
    """Gives up what is not needed, then does `work` with what comes on the socket `connection`.
    Exits with `REFUSED` and a sentence where that raises InvalidRequest."""
    connection = begin(arguments)
    received = bytearray()
    while part := connection.recv(AT_ONCE):
        received += part
    send(connection, work, bytes(received))


def begin(arguments: Mapping[str, Any]) -> socket.socket:
    """Gives up what is not needed; the socket to the host."""
    connection = socket.socket(fileno=arguments["connection"])
    enter.limit_memory(arguments["memory"])
    enter.limit_processes()
    seccomp.Filter(seccomp.BOT).install()
    return connection


def send(connection: socket.socket, work: Work, received: bytes) -> None:
    """Sends what the work gives, piece by piece."""
    try:
        for part in work(received):
            connection.sendall(part)
    except InvalidRequest as error:
        _refuse(str(error))
    except MemoryError:
        _refuse(TOO_MUCH)


def tell(notes: Iterable[str]) -> None:
    """Tells the author, if not too much."""
    told = list(notes)
    for note in told[:MOST_NOTES]:
        sys.stderr.write(note.replace("\n", " ")[:LONGEST_NOTE] + "\n")
    if len(told) > MOST_NOTES:
        sys.stderr.write(f"... and {len(told) - MOST_NOTES:,} more lines like that.\n")


def _refuse(sentence: str) -> None:
    sys.stderr.write(sentence)
    raise SystemExit(REFUSED)
