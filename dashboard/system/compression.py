"""Gzip compression of responses.

Pages with a CSRF token are not compressed, because the compressed size can leak the token if an
attacker controls part of the page (BREACH). Tokens of bots are only shown on pages with a form.
"""

from __future__ import annotations

import gzip

from flask import Response, g, request

SMALLEST = 600  # bytes; smaller responses fit into one packet anyway
LEVEL = 6
TEXT = {
    "application/atom+xml",
    "application/javascript",
    "application/json",
    "image/svg+xml",
    "text/css",
    "text/csv",
    "text/html",
    "text/javascript",
    "text/plain",
}


def can_shrink(response: Response) -> bool:
    """Whether compressing a response is worthwhile and safe. Streams are never compressed."""
    whole = response.status_code == 200 and not response.is_streamed
    if not whole or response.mimetype not in TEXT or "Content-Encoding" in response.headers:
        return False
    return "csrf_token" not in g and (response.content_length or 0) >= SMALLEST


def taken() -> bool:
    """Whether the current browser accepts gzip."""
    return request.accept_encodings["gzip"] > 0


def announce(response: Response) -> bool:
    """Set the headers for both variants, each with its own ETag; return whether to compress."""
    if not can_shrink(response):
        return False
    response.vary.add("Accept-Encoding")
    etag, weak = response.get_etag()
    if taken() and etag:
        response.set_etag(f"{etag}-gzip", weak=bool(weak))
    return taken()


def compress(response: Response) -> None:
    response.set_data(packed(response.get_data(), LEVEL))
    response.headers["Content-Encoding"] = "gzip"


def packed(content: bytes, level: int) -> bytes:
    """Return compressed content, with the same bytes for the same content."""
    return gzip.compress(content, compresslevel=level, mtime=0)
