"""Unsubscribing by the link in a notification. Mail programs may post the form themselves
(RFC 8058), so it needs no CSRF token: the signed token in its address is enough."""

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from arena.store.registry.mail import addresses
from dashboard import keys
from dashboard.account.guard import harmless, limited
from dashboard.mail import tokens
from dashboard.mail.tokens import Switch
from dashboard.sources import sources

page = Blueprint("unsubscribe", __name__)

WORDS = {
    "finished": "when a tournament finishes",
    "offline": "when a bot goes offline",
}


@page.get("/unsubscribe")
def show() -> ResponseReturnValue:
    """Ask for confirmation with a button."""
    return _answer(_asked(), done=False)


@page.post("/unsubscribe")
@harmless
@limited("60 per hour", by_address=True)
def off() -> ResponseReturnValue:
    """Turn the notification off. For a deleted account there is nothing to do."""
    asked = _asked()
    if asked is not None:
        with sources().store.write() as conn:
            addresses.choose(conn, asked.account, **{asked.notice: False})
    return _answer(asked, done=True)


def _asked() -> Switch | None:
    return tokens.read(keys.accepted(), request.args.get("token", ""))


def _answer(asked: Switch | None, *, done: bool) -> ResponseReturnValue:
    body = render_template(
        "account/unsubscribe/page.html",
        about=WORDS[asked.notice] if asked else "",
        token=request.args.get("token", ""),
        done=done,
    )
    return body, 200 if asked else 400
