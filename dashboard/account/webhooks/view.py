"""Registering and testing webhooks, with the results of their deliveries."""

from flask import Blueprint, abort, current_app, make_response, redirect, render_template, request
from flask import url_for as to
from flask.typing import ResponseReturnValue
from sqlalchemy import Connection

from arena.base import instant
from arena.base.addresses import networks
from arena.base.errors import InvalidRequest, LimitReached
from arena.store.registry.webhooks import deliveries, hooks
from arena.store.registry.webhooks.hooks import Webhook, secret_of
from dashboard.account.guard import limited
from dashboard.account.rights import signed_in, the_account
from dashboard.sources import sources
from dashboard.webhooks.targets import check_url

page = Blueprint("webhooks", __name__)

SHOWN = 8  # deliveries of each webhook
NO_WEBHOOKS = "This arena does not support webhooks."
IS_OFF = "This webhook is off. Switch it on before you send a test."


@page.get("/account/webhooks")
@signed_in
def show() -> ResponseReturnValue:
    """The webhooks of the account. The secret of a new one is shown once."""
    _check_there_are_any()
    # A HEAD request would use up the secret without showing it.
    unseen = _take_secrets() if request.method == "GET" else {}
    response = make_response(_page(unseen))
    if unseen or request.args.get("done") in ("added", "secret"):
        response.headers["Cache-Control"] = "no-store"
    return response


@page.post("/account/webhooks")
@signed_in
@limited("30 per hour")
def add() -> ResponseReturnValue:
    _check_there_are_any()
    settings, url = sources().settings, request.form.get("url", "").strip()
    wanted = {event: request.form.get(event) == "yes" for event in ("finished", "offline")}
    try:
        check_url(url, networks(settings.webhook_networks))
        with sources().store.write() as conn:
            most = settings.webhooks_per_account
            hooks.add(conn, the_account().id, url, instant.now(), most, **wanted)
    except (InvalidRequest, LimitReached) as error:
        return _page({}, url=url, wanted=wanted, problem=str(error)), 400
    return _back("added")


@page.post("/account/webhooks/<number:number>/test")
@signed_in
@limited("30 per hour")
def try_out(number: int) -> ResponseReturnValue:
    with sources().store.write() as conn:
        hook = _mine(conn, number)
        if hook.enabled:
            deliveries.add_test(conn, hook, instant.now())
    if not hook.enabled:
        return _page({}, wrong=number, problem=IS_OFF), 400
    return _back("test", number)


@page.post("/account/webhooks/<number:number>/switch")
@signed_in
def switch(number: int) -> ResponseReturnValue:
    on = request.form.get("on") == "yes"
    with sources().store.write() as conn:
        hooks.switch(conn, _mine(conn, number), on=on)
    return _back("on" if on else "off", number)


@page.post("/account/webhooks/<number:number>/secret")
@signed_in
@limited("30 per hour")
def renew(number: int) -> ResponseReturnValue:
    """Create a new secret, which the next page shows once."""
    with sources().store.write() as conn:
        hooks.renew_secret(conn, _mine(conn, number))
    return _back("secret", number)


@page.post("/account/webhooks/<number:number>/delete")
@signed_in
def delete(number: int) -> ResponseReturnValue:
    with sources().store.write() as conn:
        hooks.remove(conn, _mine(conn, number))
    return _back("deleted")


def _mine(conn: Connection, number: int) -> Webhook:
    return hooks.get(conn, the_account().id, number)


def _check_there_are_any() -> None:
    if not sources().settings.webhooks_per_account:
        abort(404, NO_WEBHOOKS)


def _take_secrets() -> dict[int, str]:
    """Return the secrets that the owner has not seen yet, by webhook, and mark them as shown."""
    account = the_account().id
    with sources().read() as conn:
        if not hooks.has_unshown(conn, account):
            return {}
    with sources().store.write() as conn:
        taken = hooks.take_unshown(conn, account)
        mine = [each for each in hooks.of_account(conn, account) if each.id in taken]
    return {each.id: secret_of(str(current_app.secret_key), each.salt) for each in mine}


def _page(
    unseen: dict[int, str],
    *,
    url: str = "",
    wanted: dict[str, bool] | None = None,
    wrong: int = 0,
    problem: str = "",
) -> str:
    """Render the page; `problem` is about webhook `wrong`, or about a new one if 0."""
    with sources().read() as conn:
        mine = hooks.of_account(conn, the_account().id)
        sent = {each.id: deliveries.of_webhook(conn, each.id, SHOWN) for each in mine}
    done = "" if problem else request.args.get("done", "")
    return render_template(
        "account/webhooks/page.html",
        hooks=mine,
        sent=sent,
        secrets=unseen,
        most=sources().settings.webhooks_per_account,
        url=url,
        wanted=wanted or {"finished": True, "offline": True},
        wrong=wrong,
        problem=problem,
        done=done,
        about=request.args.get("about", type=int),
    )


def _back(done: str, number: int | None = None) -> ResponseReturnValue:
    return redirect(to("webhooks.show", done=done, about=number), 303)
