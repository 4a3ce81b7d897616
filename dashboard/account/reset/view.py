"""Requesting a link, and choosing a new password with it.

The response does not reveal whether the account exists: the request is stored as typed, and the
account is looked up only when the e-mail is sent.
"""

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.base.errors import InvalidRequest
from arena.store.registry import accounts, audit_log, passwords
from arena.store.registry.accounts import Account
from arena.store.registry.audit_log import Actor
from arena.store.registry.mail import links, outbox
from arena.store.registry.mail.addresses import LONGEST
from dashboard.account import session
from dashboard.account.guard import limited
from dashboard.account.view import TRIES
from dashboard.sources import sources

page = Blueprint("reset", __name__)

NO_MAIL = (
    "This arena does not send e-mail. Ask its operator for a new password: "
    "`arena account password NAME`."
)
EXPIRED = "This link no longer works. It was used, a newer one was sent, or it is older than a day."


@page.get("/reset-password")
def ask(problem: str = "") -> str:
    return render_template(
        "account/reset/ask.html",
        problem=problem,
        sent=request.args.get("done") == "sent",
        no_mail=NO_MAIL,
    )


@page.post("/reset-password")
@limited("5 per hour", by_address=True)
def asked() -> ResponseReturnValue:
    """Queue a link for the account or address, whether or not it exists."""
    if not sources().settings.smtp_url:
        abort(404, NO_MAIL)
    wanted = request.form.get("who", "").strip()[:LONGEST]
    if not wanted.isprintable() or not wanted:
        return ask(problem="Enter your account's name or your e-mail address."), 400
    with sources().store.write() as conn:
        outbox.add(conn, "reset", None, wanted, instant.now())
    return redirect(url_for("reset.ask", done="sent"), 303)


@page.get("/reset-password/new")
def show() -> ResponseReturnValue:
    token = request.args.get("token", "")
    account = _found(token)
    problem = "" if account else EXPIRED
    return _choosing(token, account, problem), {"Cache-Control": "no-store"}  # the link is a secret


@page.post("/reset-password/new")
@limited(TRIES, by_address=True)
def choose() -> ResponseReturnValue:
    """Change the password, end all sessions of the account, and sign in here."""
    token = request.form.get("token", "")
    account = _found(token)
    if account is None:
        return _choosing(token, None, problem=EXPIRED), 400
    try:
        new = passwords.check_password(request.form.get("new", ""), account.name)
    except InvalidRequest as error:
        return _choosing(token, account, problem=str(error)), 400
    hashed, now = passwords.hashed(new), instant.now()
    with sources().store.write() as conn:
        link = links.use(conn, "reset", token, now)
        if link is not None:
            account = accounts.set_password(conn, account.name, hashed)
            outbox.add(conn, "password", account.id, "", now)
            if account.organiser:
                actor = Actor(account.name, "dashboard")
                audit_log.note(conn, actor, "reset the password", f"account {account.name}")
    if link is None:
        return _choosing(token, None, problem=EXPIRED), 400
    session.sign_in(account)
    return redirect(url_for("account.show", done="password"), 303)


def _found(token: str) -> Account | None:
    """Return the account whose password the link changes, if it still works."""
    with sources().read() as conn:
        link = links.find(conn, "reset", token, instant.now())
        return accounts.get(conn, link.account) if link else None


def _choosing(token: str, of: Account | None, problem: str) -> str:
    return render_template("account/reset/choose.html", token=token, of=of, problem=problem)
