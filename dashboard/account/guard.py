"""Protection of all forms: CSRF tokens, rate limits and size limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import redis
from flask import Flask, Response, current_app, request
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter, RateLimitExceeded
from flask_wtf.csrf import CSRFError, CSRFProtect
from limits import parse
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.sansio.http import parse_cookie

from arena.base.addresses import limit_key
from arena.base.config import Settings
from arena.hosting.submission.files import MB, size_text
from dashboard.account import failures
from dashboard.account.session import current_account, has_session
from dashboard.sources import sources
from dashboard.system import errors
from dashboard.system.http_server import FORM_WITHIN_S, UPLOAD_WITHIN_S, BodyLimit, Request

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


V = TypeVar("V", bound=Callable[..., Any])

LARGEST_FORM = 256 * 1024  # bytes
FORM = BodyLimit(LARGEST_FORM, FORM_WITHIN_S)
OFTEN = "120 per minute"  # per person and form
LIMITS = "arena_limits"  # attribute of a view with its own limits
UPLOADS = "arena_uploads"  # attribute of a view that accepts the upload of a bot
HARMLESS = "arena_harmless"  # attribute of a view that needs no CSRF token

NOT_OURS = (
    "This form has expired. You signed in or out after opening it, or it did not come from this "
    "site. Reload the page and send it again."
)


@dataclass(frozen=True)
class UsageLimit:
    """How often one person may use a view, e.g. "5 per hour".

    Requests without a sign-in are counted by address, which has the limit of
    `ARENA_PEOPLE_PER_ADDRESS` people. `by_address` counts all requests by address. `of` returns
    another key to count, for all people together. `done` decides whether a response counts.
    GET requests count only with `reading`. Views with the same `scope` are counted together.
    """

    each: str
    by_address: bool = False
    done: Callable[[Response], bool] | None = None
    reading: bool = False
    of: Callable[[], str] | None = None
    scope: str = ""

    def whom(self) -> str:
        if self.of is not None:
            return self.of()
        return f"address {address()}" if self.by_address else who()

    def amount(self) -> str:
        item = parse(self.each)
        alone = self.of is not None or (not self.by_address and current_account() is not None)
        people = 1 if alone else sources().settings.people_per_address
        return str(type(item)(item.amount * people, item.multiples))


def limited(
    *limits: str,
    by_address: bool = False,
    done: Callable[[Response], bool] | None = None,
    reading: bool = False,
    of: Callable[[], str] | None = None,
    scope: str = "",
) -> Callable[[V], V]:
    """Limit the use of a view, see `UsageLimit`. Put it below the route; it can be repeated."""
    made = tuple(UsageLimit(each, by_address, done, reading, of, scope) for each in limits)

    def mark(view: V) -> V:
        setattr(view, LIMITS, (*made, *getattr(view, LIMITS, ())))
        return view

    return mark


def uploads(view: V) -> V:
    """Accept the upload of a bot in the view's form, from signed-in accounts."""
    setattr(view, UPLOADS, True)
    return view


def harmless(view: V) -> V:
    """Require no CSRF token, for forms that forgery cannot harm.

    These only change how pages look, and can be on pages that are cached for all users. Or their
    address is signed and fully defines the action.
    """
    setattr(view, HARMLESS, True)
    return view


def too_large() -> str:
    """Return the error for an upload over the size limit."""
    most = size_text(sources().settings.submission_mb * MB)
    return f"This upload is larger than the limit of {most}. Remove files the bot does not need."


def register(app: Flask, settings: Settings, client: redis.Redis | None) -> None:
    """Protect all forms of the application. Call it after all pages are registered."""
    app.config.update(
        MAX_CONTENT_LENGTH=LARGEST_FORM,
        MAX_FORM_MEMORY_SIZE=LARGEST_FORM,
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session: pages are left open
    )
    believe(app, settings.proxies)
    _limit(app, client)
    app.before_request(_make_room)  # before the form is read
    failures.register(app, client)
    protect = CSRFProtect(app)
    for view in app.view_functions.values():
        if getattr(view, HARMLESS, False):
            protect.exempt(view)
    app.register_error_handler(CSRFError, lambda _: errors.answer(400, NOT_OURS))
    app.register_error_handler(RateLimitExceeded, _too_often)
    app.register_error_handler(RequestEntityTooLarge, _too_much)


def _limit(app: Flask, client: redis.Redis | None) -> None:
    where: dict[str, Any] = {"storage_uri": "memory://"}
    if client is not None:  # so that several processes count together
        pool: Any = client.connection_pool
        where = {
            "storage_uri": "redis://",
            "storage_options": {"connection_pool": pool, "key_prefix": failures.PREFIX},
            "in_memory_fallback_enabled": True,
        }
    usual = UsageLimit(OFTEN)
    limiter = Limiter(
        usual.whom,
        app=app,
        default_limits=[usual.amount],
        default_limits_exempt_when=reads,
        headers_enabled=True,
        swallow_errors=True,  # requests that cannot be counted are allowed
        **where,
    )
    for endpoint, view in app.view_functions.items():
        guarded: Any = view
        for limit in getattr(view, LIMITS, ()):
            guarded = limiter.shared_limit(
                limit.amount,
                scope=limit.scope or endpoint,
                key_func=limit.whom,
                exempt_when=None if limit.reading else reads,
                deduct_when=limit.done,
            )(guarded)
        app.view_functions[endpoint] = guarded


def who() -> str:
    """Return the key of the current requester: the account, or the address without a sign-in."""
    account = current_account()
    return f"account {account.id}" if account else f"address {address()}"


def reads() -> bool:
    return request.method in ("GET", "HEAD", "OPTIONS")


def _takes_upload() -> bool:
    view = current_app.view_functions.get(request.endpoint or "")
    return not reads() and getattr(view, UPLOADS, False) and current_account() is not None


def body_limit(app: Flask, arriving: Request) -> BodyLimit:
    """Return the limit of a request's body: an upload if it has a session cookie, else a form. The
    session itself is checked later, when the request is served."""
    try:
        endpoint, _ = app.url_map.bind("").match(arriving.path, method=arriving.command)
    except HTTPException:
        return FORM
    cookies = parse_cookie(arriving.headers.get("COOKIE"))
    if not getattr(app.view_functions[endpoint], UPLOADS, False) or not has_session(app, cookies):
        return FORM
    return BodyLimit(_largest_upload(app.extensions["arena"].settings), UPLOAD_WITHIN_S)


def _largest_upload(settings: Settings) -> int:
    return settings.submission_mb * MB + LARGEST_FORM


def _make_room() -> None:
    if _takes_upload():
        request.max_content_length = _largest_upload(sources().settings)


def _too_much(_: RequestEntityTooLarge) -> ResponseReturnValue:
    return errors.answer(413, too_large() if _takes_upload() else errors.SENTENCES[413])


def _too_often(error: RateLimitExceeded) -> ResponseReturnValue:
    allowed = f" ({error.limit.limit})" if error.limit else ""
    return errors.answer(429, f"Too many requests{allowed}. Wait a moment, then try again.")


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
