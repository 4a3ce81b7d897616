"""Setting and confirming an e-mail address, and choosing its notifications."""

from typing import get_args

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.base.errors import InvalidRequest, LimitReached
from arena.store.registry.mail import addresses, links, outbox
from arena.store.registry.mail.addresses import Notice
from dashboard import keys
from dashboard.account.guard import harmless, limited
from dashboard.account.rights import doubt, signed_in, the_account
from dashboard.account.view import accepted, account_page
from dashboard.sources import sources

page, unsubscribe = Blueprint("email", __name__), Blueprint("unsubscribe", __name__)

A_DAY = f"{links.MOST_A_DAY} per day"  # links per account and per mailbox

NOTICES = {
    "finished": "when a tournament finishes",
    "offline": "when a bot goes offline",
}
NO_MAIL = "This arena does not send e-mail."
EXPIRED = (
    "This link no longer works. It was used, a newer one was sent, or it is too old. Enter the "
    "address on your account page again."
)


@page.post("/account/email")
@signed_in
@limited("10 per hour")
@limited(A_DAY, done=accepted)
# By mailbox, too, so that the limit outlives the account.
@limited(A_DAY, of=lambda: addresses.mailbox(request.form.get("address", "")), done=accepted)
def change() -> ResponseReturnValue:
    """Send a link to the address, which is stored once the link is used."""
    if not sources().settings.smtp_url:
        abort(404, NO_MAIL)
    account, given = the_account(), request.form.get("address", "")
    if wrong := doubt(account):
        return account_page(wrong="email-password", problem=wrong, address=given), 400
    try:
        address = addresses.check_address(given)
        with sources().store.write() as conn:
            outbox.add(conn, "confirm", account.id, address, instant.now())
    except (InvalidRequest, LimitReached) as error:
        return account_page(wrong="email", problem=str(error), address=given), 400
    return redirect(url_for("account.show", done="sent"), 303)


@page.post("/account/email/remove")
@signed_in
@limited("10 per hour")
def remove() -> ResponseReturnValue:
    """Remove the address. Requires the password, because it can no longer be reset afterwards."""
    account = the_account()
    if wrong := doubt(account):
        return account_page(wrong="email-password", problem=wrong), 400
    with sources().store.write() as conn:
        addresses.remove(conn, account.id)
        links.void(conn, account.id, instant.now())
    return redirect(url_for("account.show", done="removed"), 303)


@page.post("/account/notices")
@signed_in
def choose() -> ResponseReturnValue:
    wanted = {notice: request.form.get(notice) == "yes" for notice in get_args(Notice)}
    with sources().store.write() as conn:
        addresses.choose(conn, the_account().id, **wanted)
    return redirect(url_for("account.show", done="notices"), 303)


@page.get("/account/email/confirm")
def show() -> ResponseReturnValue:
    """Ask for confirmation with a button, because mail scanners follow links."""
    token = request.args.get("token", "")
    with sources().read() as conn:
        link = links.find(conn, "confirm", token, instant.now())
    shown = _confirming(token, link.address if link else "")
    return shown, {"Cache-Control": "no-store"}  # the link is a secret


@page.post("/account/email/confirm")
@limited("30 per hour", by_address=True)
def confirm() -> ResponseReturnValue:
    """Set the address of the account that requested it, whether or not it is signed in here."""
    now = instant.now()
    with sources().store.write() as conn:
        link = links.use(conn, "confirm", request.form.get("token", ""), now)
        if link is not None:
            before = addresses.confirm(conn, link.account, link.address, now)
            if before and before.lower() != link.address.lower():
                links.void(conn, link.account, now)  # links sent to the previous address
                outbox.add(conn, "moved", link.account, before, now)
    if link is None:
        return _confirming("", ""), 400
    return _confirming("", link.address, done=True)


def _confirming(token: str, address: str, *, done: bool = False) -> str:
    problem = "" if address else EXPIRED
    return render_template(
        "account/email/confirm.html", token=token, address=address, done=done, problem=problem
    )


@unsubscribe.get("/unsubscribe", endpoint="show")
@unsubscribe.post("/unsubscribe", endpoint="off")
@harmless
@limited("60 per hour", by_address=True)
def turn_off() -> ResponseReturnValue:
    """Ask for confirmation with a button, then turn the notification off. Mail programs may post
    the form themselves (RFC 8058), so the signed token in its address is enough."""
    token = request.args.get("token", "")
    asked, done = keys.read(keys.accepted(), token), request.method == "POST"
    if asked is not None and done:  # for a deleted account there is nothing to do
        with sources().store.write() as conn:
            addresses.choose(conn, asked.account, **{asked.notice: False})
    about = NOTICES[asked.notice] if asked else ""
    body = render_template("account/email/unsubscribe.html", about=about, token=token, done=done)
    return body, 200 if asked else 400
