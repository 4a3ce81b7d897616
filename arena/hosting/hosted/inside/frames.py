"""Messages one after the other on a stream: each preceded by its length, as protobuf's libraries
have it (writeDelimitedTo in Java, protodelim in Go): a varint of 7 bits a byte, low ones first.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.base.errors import InvalidRequest

LONGEST_LENGTH = 4  # bytes


def framed(message: bytes) -> bytes:
    """A message with its length before it."""
    size, length = len(message), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    length.append(size)
    return bytes(length) + message


class Frames:
    """What was received so far of a stream of messages, none of them longer than `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._received = bytearray()

    def add(self, received: bytes) -> Iterator[bytes]:
        """The messages that are complete with these bytes. Raises InvalidRequest for one that is
        too long, or whose length is none."""
        self._received += received
        while (message := self._take()) is not None:
            yield message

    def _take(self) -> bytes | None:
        size = 0
        for place, byte in enumerate(self._received[:LONGEST_LENGTH]):
            size |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return self._message(place + 1, size)
        if len(self._received) >= LONGEST_LENGTH:
            raise InvalidRequest("Bytes came that are not the length of a message.")
        return None

    def _message(self, start: int, size: int) -> bytes | None:
        if size > self._most:
            raise InvalidRequest(f"A message has {size:,} bytes; the most is {self._most:,}.")
        if len(self._received) < start + size:
            return None
        message = bytes(self._received[start : start + size])
        del self._received[: start + size]
        return message
