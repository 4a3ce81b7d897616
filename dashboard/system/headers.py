"""Headers of every response: above all, to run nothing that is not ours.

And by an ETag, which very answer it is, so that it need not be sent again while it is the same.
"""

from __future__ import annotations

from flask import Flask, Response, request

from dashboard.site import shows_host
from dashboard.system import compression

# No inline script or style, nothing from elsewhere, no plugins, no frames.
_OURS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'"
)
# What may stand in a frame on any site has nothing that could be sent.
FRAMEABLE = f"{_OURS}; form-action 'none'; frame-ancestors *"

HEADERS = {
    "Content-Security-Policy": f"{_OURS}; form-action 'self'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    # Copying a token is all that pages do with the machine.
    "Permissions-Policy": (
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
        "magnetometer=(), microphone=(), midi=(), payment=(), usb=(), clipboard-write=(self)"
    ),
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

# Who came by HTTPS once comes by nothing else for a year. Subdomains may be somebody else's.
HSTS = "max-age=31536000"


def register(app: Flask) -> None:
    """Adds the headers to every answer."""

    @app.after_request
    def add(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.is_secure:
            response.headers["Strict-Transport-Security"] = HSTS
        if not response.headers.get("Cache-Control") or (shows_host() and _shared(response)):
            # Standings change by the second: the browser may keep a page, but asks again. What
            # somebody signed in gets is for him alone, as is a page with the host of its request.
            own = shows_host() or app.config["SESSION_COOKIE_NAME"] in request.cookies
            response.headers["Cache-Control"] = "private, no-cache" if own else "no-cache"
        return _marked(response)


def _shared(response: Response) -> bool:
    return response.cache_control.public is True


def _marked(response: Response) -> Response:
    """The answer with an ETag, or 304 to who has it. Files bring a mark of their own."""
    whole = response.status_code == 200 and not response.is_streamed
    if whole and request.method in ("GET", "HEAD") and "Set-Cookie" not in response.headers:
        response.add_etag()
        shrinks = compression.announce(response)
        response.make_conditional(request)
        if shrinks and response.status_code == 200:
            compression.compress(response)
    return response
