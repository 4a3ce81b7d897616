"""Sign-up, sign-in, sign-out, and the account page."""

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.base.errors import AlreadyExists, InvalidRequest
from arena.store.registry import accounts, audit_log, bots, identities, passwords, sessions
from arena.store.registry.mail import addresses, outbox
from dashboard.account import browsers, session
from dashboard.account.failures import SignInAttempt, failures
from dashboard.account.guard import address, limited
from dashboard.account.providers import labels, provider_of
from dashboard.account.rights import acting, doubt, signed_in, the_account
from dashboard.account.session import within
from dashboard.sources import sources

page = Blueprint("account", __name__)

TRIES = "6 per minute"  # for views that hash a password, which is slow on purpose

CLOSED = (
    "Sign-up is closed. Ask an organiser for an invitation, or the operator for an account: "
    "`arena account add NAME`."
)
WRONG = "Wrong name or password."


def accepted(response: Response) -> bool:
    """Whether a form succeeded, which redirects."""
    return response.status_code == 303


@page.get("/sign-up")
def sign_up(name: str = "", problem: str = "", wrong: str = "") -> str:
    closed = CLOSED if sources().settings.sign_up == "closed" else ""
    return render_template(
        "account/sign_up.html",
        name=name,
        problem=problem,
        wrong=wrong,
        closed=closed,
        onward=_next(),
    )


@page.post("/sign-up")
@limited(TRIES, by_address=True)
@limited("2 per hour", "5 per day", by_address=True, done=accepted)
def signed_up() -> ResponseReturnValue:
    if sources().settings.sign_up == "closed":
        abort(403, CLOSED)
    name, password = request.form.get("name", "").strip(), request.form.get("password", "")
    wrong = "name"
    try:
        accounts.check_name(name)
        wrong = "password"
        hashed = passwords.hashed(passwords.check_password(password, name))
        wrong = "name"
        with sources().store.write() as conn:
            account = accounts.sign_up(conn, name, hashed)
    except (InvalidRequest, AlreadyExists) as error:
        return sign_up(name, str(error), wrong), 400
    session.sign_in(account)
    return redirect(_onward(), 303)


@page.get("/sign-in")
def sign_in(name: str = "", problem: str = "") -> str:
    opened = sources().settings.sign_up == "open"
    return render_template(
        "account/sign_in.html",
        name=name,
        problem=problem,
        onward=_next(),
        opened=opened,
        providers=labels(),
    )


@page.post("/sign-in")
@limited(TRIES, by_address=True)
def signed_in_now() -> ResponseReturnValue:
    """Sign in, if the password is right and no limit on wrong ones is exceeded."""
    name, password = request.form.get("name", "").strip(), request.form.get("password", "")
    with sources().read() as conn:
        account = accounts.find(conn, name)
    browser = browsers.known_as(account.id) if account else ""
    attempt = SignInAttempt(name, address(), browser, sources().settings.people_per_address)
    if refusal := failures().charge(attempt):
        headers = {"Retry-After": str(refusal.wait_s)}
        return sign_in(name, refusal.sentence), 429, headers
    right = passwords.is_right(password, account.password if account else None)
    if account is None or not right:
        return sign_in(name, WRONG), 400
    failures().forgive(attempt)
    try:
        session.sign_in(account)
    except InvalidRequest as error:
        return sign_in(name, str(error)), 400
    return redirect(_onward(), 303)


@page.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End the session of this browser, so that copies of its cookie are useless, too."""
    session.sign_out()
    return redirect(url_for("overview.show"), 303)


@page.post("/account/sign-out-everywhere")
@signed_in
def sign_out_everywhere() -> ResponseReturnValue:
    session.sign_out(everywhere=True)
    return redirect(url_for("account.sign_in"), 303)


@page.get("/account")
@signed_in
def show() -> ResponseReturnValue:
    return account_page()


@page.post("/account/password")
@signed_in
@limited("10 per hour")
def change_password() -> ResponseReturnValue:
    """Change the password. All sessions end, and this browser gets a new one."""
    account = the_account()
    if wrong := doubt(account):
        return account_page(wrong="old", problem=wrong), 400
    try:
        new = passwords.check_password(request.form.get("new", ""), account.name)
    except InvalidRequest as error:
        return account_page(wrong="new", problem=str(error)), 400
    hashed = passwords.hashed(new)
    with sources().store.write() as conn:
        account = accounts.set_password(conn, account.name, hashed)
        audit_log.note(conn, acting(), "gave a new password", f"account {account.name}")
        if addresses.of_account(conn, account.id):
            outbox.add(conn, "password", account.id, "", instant.now())
    session.sign_in(account)
    return redirect(url_for("account.show", done="password"), 303)


def account_page(wrong: str = "", problem: str = "", address: str = "") -> str:
    """Render the account page; `wrong` is the field or form that `problem` is about."""
    account, here = the_account(), session.current_session()
    with sources().read() as conn:
        mine = bots.owned_by(conn, account.id)
        places = sessions.of_account(conn, account.id)
        email = addresses.of_account(conn, account.id)
        sign_ins = {provider_of(each): each for each in identities.of_account(conn, account.id)}
    return render_template(
        "account/page.html",
        bots=mine,
        places=places,
        here=here,
        email=email,
        sign_ins=sign_ins,
        providers=labels(),
        webhooks=bool(sources().settings.webhooks_per_account),
        address=address,
        wrong=wrong,
        problem=problem,
        done=request.args.get("done", "") if not problem else "",
    )


def _next() -> str:
    return within(request.values.get("next", ""))


def _onward() -> str:
    return _next() or url_for("mine.show")
