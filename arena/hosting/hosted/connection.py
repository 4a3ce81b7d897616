"""The connection of a process to its host: a socket for a Python bot, two pipes for a program."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from arena.protocol.v1 import play_pb2 as pb


class Codec(Protocol):
    """Encodes and decodes the messages of one process."""

    def encode(self, batch: pb.Batch) -> bytes:
        """Encode notices and decisions."""

    def decode(self, received: bytes) -> Iterator[pb.BotMessage]:
        """Yield the messages that these bytes complete. Raises InvalidRequest."""


@dataclass(slots=True)
class Connection:
    """The host's descriptors, which do not block, and the process's (`theirs`)."""

    reads: int
    writes: int
    theirs: tuple[int, ...]
    closed: bool = False

    def close(self) -> None:
        """Close the host's descriptors."""
        self.closed = True
        for descriptor in {self.reads, self.writes}:
            os.close(descriptor)


def connection_of(*, pipes: bool) -> Connection:
    """Return a new connection. Raises OSError."""
    if pipes:
        their_input, writes = os.pipe()
        reads, their_output = os.pipe()
        theirs: tuple[int, ...] = (their_input, their_output)
    else:
        ours, other = socket.socketpair()
        reads = writes = ours.detach()
        theirs = (other.detach(),)
    for descriptor in {reads, writes}:
        os.set_blocking(descriptor, False)
    return Connection(reads, writes, theirs)
