"""Unpacks an upload, in a jail of its own: it may be made to harm whoever opens it.

Both ways over one socket: the upload comes in, the tree goes out (`arena.submission.tree`). What is
wrong with the upload is said on standard error, in a sentence for its author.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from typing import Any

from arena.errors import InvalidRequest
from arena.jail import enter, seccomp
from arena.submission import tree
from arena.submission.unpack import unpack

AT_ONCE = 1 << 16
REFUSED = 3  # exit status


def main(arguments: Mapping[str, Any]) -> None:
    """Unpacks what comes on the socket `connection`. Exits with `REFUSED` and a
    sentence if it is not to be had."""
    connection = socket.socket(fileno=arguments["connection"])
    enter.limit_memory(arguments["memory"])
    enter.limit_processes()
    seccomp.Filter(seccomp.BOT).install()
    received = bytearray()
    while part := connection.recv(AT_ONCE):
        received += part
    try:
        for part in tree.write(unpack(bytes(received))):
            connection.sendall(part)
    except InvalidRequest as error:
        _refuse(str(error))
    except MemoryError:
        _refuse("It takes more memory to unpack this than any bot needs: submit something smaller.")


def _refuse(sentence: str) -> None:
    sys.stderr.write(sentence)
    raise SystemExit(REFUSED)
