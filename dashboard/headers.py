"""What the browser is told about each answer: above all, to run nothing that is not ours."""

from __future__ import annotations

from flask import Flask, Response

HEADERS = {
    # No inline script or style, nothing from elsewhere, no plugins, no frames.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


def register(app: Flask) -> None:
    """Adds the headers to every answer."""

    @app.after_request
    def add(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if not response.headers.get("Cache-Control"):
            # Standings change by the second: the browser may keep a page, but asks again.
            response.headers["Cache-Control"] = "no-cache"
        return response
