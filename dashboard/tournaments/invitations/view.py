"""Inviting people to sign up, and the form that their links lead to."""

from urllib.parse import quote, urlencode

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.base.errors import AlreadyExists, InvalidRequest
from arena.store.registry import accounts, audit_log, bots, invitations, passwords
from arena.store.registry.invitations import Invitation
from dashboard import keys
from dashboard.account import session
from dashboard.account.guard import limited
from dashboard.account.rights import acting, organiser
from dashboard.account.view import TRIES
from dashboard.bots.index.connection import connection
from dashboard.site import link
from dashboard.sources import sources
from dashboard.urls import requested_number

page = Blueprint("invitations", __name__)

PAGE = 30
PLACES, DAYS = 30, 30  # defaults
NO_STORE = {"Cache-Control": "no-store"}  # the links are secrets


@page.get("/invitations")
@organiser
def show() -> ResponseReturnValue:
    return _page(), NO_STORE


@page.post("/invitations")
@organiser
@limited("60 per hour")
def invite() -> ResponseReturnValue:
    """Create invitations: one for each name or address, or one for all."""
    names = request.form.get("names", "").replace(",", "\n").split()
    try:
        places, days = (_number(name) for name in ("places", "days"))
        with sources().store.write() as conn:
            title, now = request.form.get("title", ""), instant.now()
            mailed = bool(sources().settings.smtp_url)
            invitations.invite(conn, title, names, places, days, now, mailed=mailed)
            audit_log.note(conn, acting(), "invited", f"{len(names) or places} people", title)
    except InvalidRequest as error:
        return _page(str(error)), 400
    return redirect(url_for("invitations.show"), 303)


@page.post("/invitations/<number:number>/end")
@organiser
def end(number: int) -> ResponseReturnValue:
    with sources().store.write() as conn:
        ended = invitations.end(conn, number, instant.now())
        audit_log.note(conn, acting(), "ended", f"invitation {number}", ended.title)
    return redirect(url_for("invitations.show"), 303)


@page.get("/join/<code>")
def join(code: str) -> ResponseReturnValue:
    with sources().read() as conn:
        found = invitations.get(conn, keys.invitation_number(code, keys.accepted()))
    found.check(instant.now())
    return _joining(code, found, "" if found.address else found.name), NO_STORE


@page.post("/join/<code>")
@limited(TRIES, by_address=True)
@limited("10 per hour", by_address=True)
def joined(code: str) -> ResponseReturnValue:
    number, now = keys.invitation_number(code, keys.accepted()), instant.now()
    with sources().read() as conn:
        found = invitations.get(conn, number)
    found.check(now)
    name, password = request.form.get("name", "").strip(), request.form.get("password", "")
    wrong = "name"
    try:
        accounts.check_name(name)
        wrong = "password"
        hashed = passwords.hashed(passwords.check_password(password, name))
        wrong = "name"
        with sources().store.write() as conn:
            account = invitations.sign_up(conn, number, name, hashed, now)
    except (InvalidRequest, AlreadyExists) as error:
        return _joining(code, found, name, str(error), wrong), 400
    session.sign_in(account)
    return redirect(url_for("mine.show"), 303)


def _page(problem: str = "") -> str:
    before = requested_number("before", None)
    with sources().read() as conn:
        found = invitations.newest(conn, PAGE + 1, before)
        listed = found[:PAGE]
        came = invitations.guests(conn, [each.id for each in listed])
        invited = [account for guests in came.values() for account, _ in guests]
        own = bots.owned_by_each(conn, invited)
    signers = keys.accepted()
    links = {
        each.id: link("invitations.join", code=keys.invitation_code(each.id, signers))
        for each in listed
    }
    live = sources().live(bot.player for all_ in own.values() for bot in all_)
    guests = {
        number: [
            {"name": name, "bots": [(bot, connection(live, bot.player)) for bot in own[account]]}
            for account, name in all_
        ]
        for number, all_ in came.items()
    }
    return render_template(
        "tournaments/invitations/page.html",
        invitations=listed,
        links=links,
        mailtos={each.id: _mailto(each, links[each.id]) for each in listed if each.address},
        guests=guests,
        older=listed[-1].id if len(found) > PAGE else None,
        now=instant.now(),
        asked=request.form,
        problem=problem,
        places=PLACES,
        days=DAYS,
        longest=invitations.LONGEST,
        most_places=invitations.MOST_PLACES,
        most_days=invitations.MOST_DAYS,
    )


def _mailto(found: Invitation, link: str) -> str:
    """Return the address of a new e-mail with the link, for arenas that send none."""
    words = {"subject": found.title, "body": f"Open this link to create your account: {link}"}
    return f"mailto:{quote(found.address, safe='@')}?{urlencode(words, quote_via=quote)}"


def _joining(code: str, found: Invitation, name: str, problem: str = "", wrong: str = "") -> str:
    return render_template(
        "tournaments/invitations/join.html",
        code=code,
        invitation=found,
        name=name,
        problem=problem,
        wrong=wrong,
    )


def _number(name: str) -> int:
    text = request.form.get(name, "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise InvalidRequest(f'"{text[:20]}" is not a number of {name}. Enter a whole number.')
    return int(text)
