"""Signing in with a provider, and linking one to an account.

An account is never matched by the address or name that a provider reports. A new identity gets a
new account, or is linked to the account that is signed in. Linking starts with a form on this
site, so that another site cannot link a foreign identity to the user's account.
"""

import structlog
from flask import Blueprint, abort, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.base.errors import AlreadyExists, InvalidRequest
from arena.store.registry import accounts, identities
from arena.store.registry.identities import Identity
from dashboard.account import providers
from dashboard.account import session as sessions
from dashboard.account.guard import limited
from dashboard.account.providers import NotSignedIn
from dashboard.account.rights import doubt, signed_in, the_account
from dashboard.account.session import current_account, within
from dashboard.account.view import CLOSED, TRIES, accepted, account_page
from dashboard.sources import sources

page = Blueprint("elsewhere", __name__)
log = structlog.get_logger(__name__)

LASTS_S = 600  # from one step to the next
FLOW, LINKING, ARRIVING = "elsewhere", "linking", "arriving"  # keys of the browser's session

FAILED = (
    "Signing in with {} failed. It was cancelled, took too long, or the provider could not be "
    "reached. Try again."
)
LAST = "This is the only way to sign in to your account. Set a password first."


@page.get("/sign-in/with/<string:provider>")
@limited("30 per hour", by_address=True, reading=True)
def go(provider: str) -> ResponseReturnValue:
    label, account = _label(provider), current_account()
    linking, asked = session.pop(LINKING, (None, 0.0))
    for_account = linking if account and linking == account.id and _is_recent(asked) else None
    for key in [each for each in session if each.startswith("_state_")]:
        session.pop(key)  # of abandoned attempts; the space in a cookie is limited
    session[FLOW] = [provider, for_account, within(request.args.get("next", "")), instant.now()]
    try:
        return providers.begin(provider)  # type: ignore[no-any-return]
    except NotSignedIn as error:
        return _failed(label, error)


@page.get("/sign-in/from/<string:provider>")
@limited("30 per hour", by_address=True, reading=True)
def come_back(provider: str) -> ResponseReturnValue:
    """Sign in or link the identity that the provider returns, or ask for a new account's name."""
    label, flow = _label(provider), session.pop(FLOW, None)
    if not flow or flow[0] != provider or not _is_recent(flow[3]):
        return _failed(label, NotSignedIn("no such flow"))
    try:
        who = providers.finish(provider)
    except NotSignedIn as error:
        return _failed(label, error)
    if flow[1] is not None:
        return _link(flow[1], who)
    with sources().read() as conn:
        number = identities.find(conn, who)
        account = accounts.get(conn, number) if number is not None else None
    if account is None:
        session[ARRIVING] = [who.provider, who.subject, who.label, instant.now()]
        return redirect(url_for("elsewhere.arrive"), 303)
    sessions.sign_in(account)
    return redirect(flow[2] or url_for("mine.show"), 303)


@page.get("/sign-up/elsewhere")
def arrive() -> ResponseReturnValue:
    who = _arriving()
    return _naming(who, who.label if who else "")


@page.post("/sign-up/elsewhere")
@limited(TRIES, by_address=True)
@limited("2 per hour", "5 per day", by_address=True, done=accepted)
def arrived() -> ResponseReturnValue:
    if sources().settings.sign_up == "closed":
        abort(403, CLOSED)
    who, name = _arriving(), request.form.get("name", "").strip()
    if who is None:
        return _naming(None, ""), 400
    try:
        with sources().store.write() as conn:
            account = accounts.sign_up(conn, name, "")
            identities.link(conn, account.id, who, instant.now())
    except (InvalidRequest, AlreadyExists) as error:
        return _naming(who, name, str(error)), 400
    sessions.sign_in(account)
    return redirect(url_for("mine.show"), 303)


@page.post("/account/sign-ins/<string:provider>")
@signed_in
@limited("10 per hour")
def begin_to_link(provider: str) -> ResponseReturnValue:
    """Remember that the owner wants to link, and ask to continue to the provider."""
    label, account = _label(provider), the_account()
    if wrong := doubt(account):
        return account_page(wrong="elsewhere", problem=wrong), 400
    session[LINKING] = [account.id, instant.now()]
    return render_template("account/elsewhere/on.html", provider=provider, label=label)


@page.post("/account/sign-ins/<string:provider>/remove")
@signed_in
@limited("10 per hour")
def unlink(provider: str) -> ResponseReturnValue:
    account = the_account()
    _label(provider)
    if wrong := (doubt(account) if account.password else LAST):
        return account_page(wrong="elsewhere", problem=wrong), 400
    with sources().store.write() as conn:
        identities.unlink(conn, account.id, providers.key_of(provider))
    return redirect(url_for("account.show", done="unlinked"), 303)


def _link(number: int, who: Identity) -> ResponseReturnValue:
    account = current_account()
    if account is None or account.id != number:
        return _failed(who.label, NotSignedIn("signed out meanwhile"))
    try:
        with sources().store.write() as conn:
            identities.link(conn, account.id, who, instant.now())
    except AlreadyExists as error:
        return account_page(wrong="elsewhere", problem=str(error)), 409
    return redirect(url_for("account.show", done="linked"), 303)


def _label(provider: str) -> str:
    known = providers.labels()
    if provider not in known:
        abort(404)
    return known[provider]


def _is_recent(noted: float) -> bool:
    return instant.now() - noted <= LASTS_S


def _arriving() -> Identity | None:
    found = session.get(ARRIVING)
    return Identity(*found[:3]) if found and _is_recent(found[3]) else None


def _failed(label: str, error: NotSignedIn) -> ResponseReturnValue:
    log.warning("signing in elsewhere failed", reason=str(error))
    return render_template("account/elsewhere/failed.html", problem=FAILED.format(label)), 400


def _naming(who: Identity | None, name: str, problem: str = "") -> str:
    closed = CLOSED if sources().settings.sign_up == "closed" else ""
    return render_template(
        "account/elsewhere/name.html", who=who, name=name, problem=problem, closed=closed
    )
