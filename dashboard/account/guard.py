"""What stands before every form: that it is ours, and that it does not come too often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import redis
from flask import Flask, request
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter, RateLimitExceeded
from flask_wtf.csrf import CSRFError, CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix

from arena.config import Settings
from dashboard import problems
from dashboard.account.session import current_account

V = TypeVar("V", bound=Callable[..., Any])

LARGEST_FORM = 256 * 1024  # bytes
OFTEN = "120 per minute"  # what one person or address may send, of each form
LIMITS = "arena_limits"  # a view's own ones, where they differ

NOT_OURS = (
    "This form does not come from a page of this dashboard, or you have signed in or out since "
    "it was opened: open the page again and send it once more."
)


def limited(*limits: str) -> Callable[[V], V]:
    """A view that may be used only so often by one person or address, e.g. "5 per hour".

    Put below the route. Reading is not counted.
    """

    def mark(view: V) -> V:
        setattr(view, LIMITS, limits)
        return view

    return mark


def register(app: Flask, settings: Settings, client: redis.Redis | None) -> None:
    """Guards all forms of the application. To be called when it has all its pages."""
    app.config.update(
        MAX_CONTENT_LENGTH=LARGEST_FORM,
        MAX_FORM_MEMORY_SIZE=LARGEST_FORM,
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session: pages are left open
    )
    if settings.proxies:
        trusted = settings.proxies
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=trusted, x_proto=trusted, x_host=trusted
        )
    _limit(app, client)
    CSRFProtect(app)
    app.register_error_handler(CSRFError, _not_ours)
    app.register_error_handler(RateLimitExceeded, _too_often)


def _limit(app: Flask, client: redis.Redis | None) -> None:
    where: dict[str, Any] = {"storage_uri": "memory://"}
    if client is not None:  # so that several processes count together
        pool: Any = client.connection_pool
        where = {
            "storage_uri": "redis://",
            "storage_options": {"connection_pool": pool, "key_prefix": "arena:limits"},
            "in_memory_fallback_enabled": True,
        }
    limiter = Limiter(
        who,
        app=app,
        default_limits=[OFTEN],
        default_limits_exempt_when=reads,
        headers_enabled=True,
        **where,
    )
    for endpoint, view in app.view_functions.items():
        guarded: Any = view
        for limit in getattr(view, LIMITS, ()):
            guarded = limiter.limit(limit, exempt_when=reads)(guarded)
        app.view_functions[endpoint] = guarded


def who() -> str:
    """Whom requests are counted for: the account, or the address of somebody not signed in."""
    account = current_account()
    return f"account {account.id}" if account else f"address {request.remote_addr}"


def reads() -> bool:
    """Whether the present request changes nothing."""
    return request.method in ("GET", "HEAD", "OPTIONS")


def _not_ours(_: CSRFError) -> ResponseReturnValue:
    return problems.answer(400, NOT_OURS)


def _too_often(error: RateLimitExceeded) -> ResponseReturnValue:
    allowed = f" ({error.limit.limit})" if error.limit else ""
    return problems.answer(429, f"That was too often{allowed}: wait a little, then try again.")
