"""Headers of every response, content security policy, caching and ETags, and its compression.

Pages with a CSRF token are not compressed, because the compressed size can leak the token if an
attacker controls part of the page (BREACH). Tokens of bots are only shown on pages with a form.
"""

import gzip

from flask import Flask, Response, g, request

# No inline scripts or styles, no external resources, no plugins, no frames.
_OURS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'"
)
# Embeddable pages contain no forms.
FRAMEABLE = f"{_OURS}; form-action 'none'; frame-ancestors *"

HEADERS = {
    "Content-Security-Policy": f"{_OURS}; form-action 'self'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    # Pages only need to write to the clipboard.
    "Permissions-Policy": (
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
        "magnetometer=(), microphone=(), midi=(), payment=(), usb=(), clipboard-write=(self)"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

# Browsers that used HTTPS once keep using it for a year. Subdomains may belong to others.
HSTS = "max-age=31536000"

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


def register(app: Flask) -> None:
    @app.after_request
    def add(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.is_secure:
            response.headers["Strict-Transport-Security"] = HSTS
        shared = response.cache_control.public
        if not response.headers.get("Cache-Control") or (shared and "host_shown" in g):
            # Pages change often, so browsers must revalidate them. Responses to signed-in users,
            # and those with the host of the request, are private.
            own = "host_shown" in g or app.config["SESSION_COOKIE_NAME"] in request.cookies
            response.headers["Cache-Control"] = "private, no-cache" if own else "no-cache"
        return _marked(response)


def _marked(response: Response) -> Response:
    """Add an ETag to a response, or turn it into 304. Files already have one."""
    whole = response.status_code == 200 and not response.is_streamed
    if whole and request.method in ("GET", "HEAD") and "Set-Cookie" not in response.headers:
        response.add_etag()
        shrinks = announce(response)
        response.make_conditional(request)
        if shrinks and response.status_code == 200:
            response.set_data(packed(response.get_data(), LEVEL))
            response.headers["Content-Encoding"] = "gzip"
    return response


def can_shrink(response: Response) -> bool:
    """Whether compressing a response is worthwhile and safe. Streams are never compressed."""
    whole = response.status_code == 200 and not response.is_streamed
    if not whole or response.mimetype not in TEXT or "Content-Encoding" in response.headers:
        return False
    return "csrf_token" not in g and (response.content_length or 0) >= SMALLEST


def taken() -> bool:
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


def packed(content: bytes, level: int) -> bytes:
    """Return compressed content, with the same bytes for the same content."""
    return gzip.compress(content, compresslevel=level, mtime=0)
