"""The address of the client of a request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix

from arena.base.addresses import limit_key

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def believe(app: Flask, proxies: int) -> None:
    """Take address, scheme and host of requests from the headers of this number of proxies.

    Without proxies, the scheme is always "http": some servers accept "https" from a header of any
    local program.
    """
    answer = app.wsgi_app
    if proxies:
        answer = ProxyFix(answer, x_for=proxies, x_proto=proxies, x_host=proxies)

    def plain(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["wsgi.url_scheme"] = "http"
        return answer(environ, start_response)

    app.wsgi_app = plain  # type: ignore[method-assign]


def address() -> str:
    """Return the address that rate limits count the current request for."""
    return limit_key(request.remote_addr or "")
