"""A name server on loopback, and the C library's resolver asking it: answers may change, lead on to
other names, be many or late."""

import ctypes
import socket
import socketserver
import struct
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

import pytest

A, CNAME, AAAA = 1, 5, 28
INTERNET = 1
ANSWER = 0x8580  # authoritative, and it would ask others
QUERY_HEADER = 12

# Where glibc keeps what it asks (struct __res_state): nscount, then the first of nsaddr_list.
NSCOUNT, NSADDR = 16, 20

Answers = Callable[[int], Sequence[str]]  # of the how-manieth question, from 0


class NameServer(socketserver.ThreadingUDPServer):
    """Knows some names: each has addresses, and names that it stands for, end with a dot."""

    daemon_threads = True

    def __init__(self, **names: Answers) -> None:
        super().__init__(("127.0.0.1", 0), Questions)
        self.names = {name.replace("_", "."): answers for name, answers in names.items()}
        self.asked = defaultdict[tuple[str, int], int](int)
        self.silent = threading.Event()  # while it is set nothing is answered
        self.lock = threading.Lock()

    def records(self, name: str, kind: int) -> list[tuple[str, int, bytes]]:
        """What it says to a question: owner, type and data of each record."""
        with self.lock:
            turn = self.asked[name, kind]
            self.asked[name, kind] += 1
        found: list[tuple[str, int, bytes]] = []
        answers = self.names.get(name)
        for each in answers(turn) if answers else ():
            if each.endswith("."):
                found += [(name, CNAME, encoded(each)), *self.records(each.rstrip("."), kind)]
            elif (ip := ip_address(each)).version == (4 if kind == A else 6):
                found.append((name, kind, ip.packed))
        return found


class Questions(socketserver.BaseRequestHandler):
    server: NameServer

    def handle(self) -> None:
        query, there = self.request
        if self.server.silent.is_set():
            return
        name, end = decoded(query, QUERY_HEADER)
        (kind,) = struct.unpack_from(">H", query, end)
        found = self.server.records(name, kind)
        body = b"".join(
            encoded(owner) + struct.pack(">HHIH", of, INTERNET, 0, len(data)) + data
            for owner, of, data in found
        )
        counts = struct.pack(">HHHHH", ANSWER, 1, len(found), 0, 0)
        there.sendto(query[:2] + counts + query[QUERY_HEADER : end + 4] + body, self.client_address)


def encoded(name: str) -> bytes:
    parts = [part.encode() for part in name.rstrip(".").split(".")]
    return b"".join(bytes([len(part)]) + part for part in parts) + b"\0"


def decoded(query: bytes, at: int) -> tuple[str, int]:
    """The name that begins there, and where it ends."""
    parts = []
    while size := query[at]:
        parts.append(query[at + 1 : at + 1 + size].decode().lower())
        at += 1 + size
    return ".".join(parts), at + 1


@contextmanager
def resolving(**names: Answers) -> Iterator[NameServer]:
    """While it lasts, this process asks a name server that knows these names (`_` for a dot)."""
    real = socket.getaddrinfo
    with NameServer(**names) as server, pytest.MonkeyPatch.context() as patch:
        port = server.server_address[1]

        def lookup(*args: Any, **kwargs: Any) -> Any:
            _ask_there(port)
            return real(*args, **kwargs)

        patch.setattr(socket, "getaddrinfo", lookup)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def _ask_there(port: int) -> None:
    """Points this thread's resolver at a port of loopback: a file can name no port."""
    libc = ctypes.CDLL(None)
    libc.__res_init()
    state = libc.__res_state
    state.restype = ctypes.c_void_p
    there = struct.pack("=H", socket.AF_INET) + struct.pack(">H4s8x", port, b"\x7f\0\0\1")
    at = state()
    ctypes.memmove(at + NSCOUNT, struct.pack("=i", 1), 4)
    ctypes.memmove(at + NSADDR, there, len(there))
