"""Length-delimited protobuf messages, as in writeDelimitedTo of Java and protodelim of Go. The
length is a varint: 7 bits per byte, the low ones first.
"""

from collections.abc import Iterator

from arena.base.errors import InvalidRequest

LONGEST_LENGTH = 4  # bytes


def framed(message: bytes) -> bytes:
    """Return the message with its length prefix."""
    size, length = len(message), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    length.append(size)
    return bytes(length) + message


class Frames:
    """Decodes a stream of messages of at most `most` bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._received = bytearray()

    def add(self, received: bytes) -> Iterator[bytes]:
        """Yield the messages that these bytes complete. Raises InvalidRequest for a message that is
        too long, or an invalid length."""
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
            raise InvalidRequest("It sent bytes that are not the length of a message.")
        return None

    def _message(self, start: int, size: int) -> bytes | None:
        if size > self._most:
            raise InvalidRequest(
                f"It sent a message of {size:,} bytes. The limit is {self._most:,}."
            )
        if len(self._received) < start + size:
            return None
        message = bytes(self._received[start : start + size])
        del self._received[: start + size]
        return message
