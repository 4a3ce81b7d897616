"""Where a request comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix

from arena.base.addresses import limit_key

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def believe(app: Flask, proxies: int) -> None:
    """Takes address, scheme and host of requests from the headers of so many proxies, and from no
    others: the dashboard itself speaks plain HTTP, but some servers take "https" from a header of
    any program on their own machine."""
    answer = app.wsgi_app
    if proxies:
        answer = ProxyFix(answer, x_for=proxies, x_proto=proxies, x_host=proxies)

    def plain(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["wsgi.url_scheme"] = "http"
        return answer(environ, start_response)

    app.wsgi_app = plain  # type: ignore[method-assign]


def address() -> str:
    """The address that the present request is counted for."""
    return limit_key(request.remote_addr or "")
