"""The sandboxed side that all steps of a build share.

Over one socket, bytes come in and a build artifact (`arena.hosting.submission.artifact`) goes out.
Standard error carries the reason of a refusal, as a sentence for the author, or else notes for the
author, one per line.
"""

import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from arena.base.errors import InvalidRequest
from arena.hosting.sandbox import enter, seccomp

AT_ONCE = 1 << 16
REFUSED = 3  # exit status
MOST_NOTES, LONGEST_NOTE = 50, 300
TOO_MUCH = "The build ran out of memory. Submit a smaller upload."

Work = Callable[[bytes], Iterable[bytes]]


def carry_out(arguments: Mapping[str, Any], work: Work) -> None:
    """Drop privileges, then do `work` on the bytes from the socket `connection`. Exits with
    `REFUSED` and the sentence if that raises InvalidRequest."""
    connection = socket.socket(fileno=arguments["connection"])
    enter.limit_memory(arguments["memory"])
    enter.limit_processes()
    seccomp.SeccompFilter(seccomp.BOT).install()
    received = bytearray()
    while part := connection.recv(AT_ONCE):
        received += part
    whole = bytes(received)
    try:
        for piece in work(whole):
            connection.sendall(piece)
    except InvalidRequest as error:
        _refuse(str(error))
    except MemoryError:
        _refuse(TOO_MUCH)


def tell(notes: Iterable[str]) -> None:
    """Write notes for the author, at most `MOST_NOTES`."""
    told = list(notes)
    for note in told[:MOST_NOTES]:
        sys.stderr.write(note.replace("\n", " ")[:LONGEST_NOTE] + "\n")
    if len(told) > MOST_NOTES:
        sys.stderr.write(f"... and {len(told) - MOST_NOTES:,} more lines like that.\n")


def _refuse(sentence: str) -> None:
    sys.stderr.write(sentence)
    raise SystemExit(REFUSED)
