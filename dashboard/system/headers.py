"""Headers of every response: content security policy, caching and ETags."""

from __future__ import annotations

from flask import Flask, Response, request

from dashboard.site import shows_host
from dashboard.system import compression

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


def register(app: Flask) -> None:
    """Add the headers to every response."""

    @app.after_request
    def add(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.is_secure:
            response.headers["Strict-Transport-Security"] = HSTS
        if not response.headers.get("Cache-Control") or (shows_host() and _shared(response)):
            # Pages change often, so browsers must revalidate them. Responses to signed-in users,
            # and those with the host of the request, are private.
            own = shows_host() or app.config["SESSION_COOKIE_NAME"] in request.cookies
            response.headers["Cache-Control"] = "private, no-cache" if own else "no-cache"
        return _marked(response)


def _shared(response: Response) -> bool:
    return response.cache_control.public is True


def _marked(response: Response) -> Response:
    """Add an ETag to a response, or turn it into 304. Files already have one."""
    whole = response.status_code == 200 and not response.is_streamed
    if whole and request.method in ("GET", "HEAD") and "Set-Cookie" not in response.headers:
        response.add_etag()
        shrinks = compression.announce(response)
        response.make_conditional(request)
        if shrinks and response.status_code == 200:
            compression.compress(response)
    return response
