"""Answers in gzip, for browsers that take it: text has a quarter to a tenth of its size.

With one exception. Whoever makes a browser ask for pages with words of their choice in them, and
sees how long the encrypted answers are, can guess a secret of the page letter by letter: where the
guess is right, the answer packs better (BREACH). So a page with a form's token is sent as it is;
tokens of bots are only ever shown beside a form.
"""

from __future__ import annotations

import gzip

from flask import Response, g, request

SMALLEST = 600  # bytes; less would hardly shrink, and goes in one packet anyway
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
    """Whether it is worth compressing, and harmless. Streams are not: they are to be read as they
    come."""
    whole = response.status_code == 200 and not response.is_streamed
    if not whole or response.mimetype not in TEXT or "Content-Encoding" in response.headers:
        return False
    return "csrf_token" not in g and (response.content_length or 0) >= SMALLEST


def taken() -> bool:
    """Whether the present browser takes gzip."""
    return request.accept_encodings["gzip"] > 0


def announce(response: Response) -> bool:
    """Tells caches that there are two forms of it, gives each an ETag of its own, and says whether
    it is the compressed one that is to be sent."""
    if not can_shrink(response):
        return False
    response.vary.add("Accept-Encoding")
    etag, weak = response.get_etag()
    if taken() and etag:
        response.set_etag(f"{etag}-gzip", weak=bool(weak))
    return taken()


def compress(response: Response) -> None:
    """Compresses the body."""
    response.set_data(packed(response.get_data(), LEVEL))
    response.headers["Content-Encoding"] = "gzip"


def packed(content: bytes, level: int) -> bytes:
    """The same bytes for the same content, so that a cache can tell."""
    return gzip.compress(content, compresslevel=level, mtime=0)
