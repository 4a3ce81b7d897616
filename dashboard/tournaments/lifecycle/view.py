"""Stopping a tournament and carrying it on, each after a page that asks; its priority; entering
bots, and withdrawing them."""

from __future__ import annotations

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import LimitReached, NotNow
from arena.protocol.v1 import control_pb2 as pb
from arena.store.registry import bots
from arena.store.registry.accounts import Account
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import sign_up, tournaments
from arena.store.tournaments.tournaments import OVER, Tournament
from arena.store.tournaments.trust import owner_may_enter
from arena.tournaments.formats import format_of
from dashboard.account.rights import organiser, signed_in, the_account
from dashboard.sources import sources

page = Blueprint("conduct", __name__)

VOUCHED = "Only organisers enter bots here: they vouch for every entrant."
REMEMBERS = "Bots share deals here: enter a hosted version, which remembers none."
NOT_YOURS = "You can enter your own bots; organisers enter any."
NOT_YOURS_TO_WITHDRAW = "You can withdraw your own bots; organisers withdraw any."


@page.get("/tournaments/<number:number>/cancel")
@organiser
def ask_to_cancel(number: int) -> ResponseReturnValue:
    """Asks whether to stop it."""
    tournament = _get(number)
    if tournament.state in OVER:
        raise NotNow(f"Tournament {number} is {tournament.state}: there is nothing to stop.")
    return render_template("tournaments/lifecycle/page.html", tournament=tournament, act="cancel")


@page.post("/tournaments/<number:number>/cancel")
@organiser
def cancel(number: int) -> ResponseReturnValue:
    """Stops it."""
    sources().control.cancel_tournament(pb.TournamentId(id=number))
    return _back(number)


@page.get("/tournaments/<number:number>/resume")
@organiser
def ask_to_resume(number: int) -> ResponseReturnValue:
    """Asks whether to carry it on, or to begin it before its start time."""
    tournament = _get(number)
    early = tournament.scheduled(instant.now())
    if tournament.state != "cancelled" and not early:
        raise NotNow(f"Tournament {number} is {tournament.state}: it was not stopped.")
    return render_template(
        "tournaments/lifecycle/page.html",
        tournament=tournament,
        act="resume",
        early=early,
    )


@page.post("/tournaments/<number:number>/resume")
@organiser
def resume(number: int) -> ResponseReturnValue:
    """Carries it on."""
    sources().control.resume_tournament(pb.TournamentId(id=number))
    return _back(number)


@page.post("/tournaments/<number:number>/priority")
@organiser
def set_priority(number: int) -> ResponseReturnValue:
    """Changes its share of the workers."""
    asked = pb.PriorityRequest(tournament=number, priority=request.form.get("priority", ""))
    sources().control.set_priority(asked)
    return _back(number)


@page.post("/tournaments/<number:number>/enter")
@signed_in
def enter(number: int) -> ResponseReturnValue:
    """Enters a bot in a ladder, or where the sign-up is open: its owner does, or an organiser."""
    account = the_account()
    with sources().read() as conn:
        tournament = tournaments.get(conn, number)
        bot = bots.get(conn, request.form.get("bot", ""))
    if not (account.organiser or bot.owner == account.id):
        abort(403, NOT_YOURS)
    if not account.organiser and not owner_may_enter(tournament.spec, bot):
        abort(403, VOUCHED if tournament.spec.trusted else REMEMBERS)
    asked = pb.EnterRequest(tournament=number, bot=bot.name)
    sources().control.enter_tournament(asked, author=_author(account))
    return _back(number)


@page.post("/tournaments/<number:number>/withdraw")
@signed_in
def withdraw(number: int) -> ResponseReturnValue:
    """Takes a bot out before the start: its owner does, or an organiser."""
    account, name = the_account(), request.form.get("bot", "")
    with sources().read() as conn:
        bot = bots.get_all(conn, [name])[0]
    if not (account.organiser or bot.owner == account.id):
        abort(403, NOT_YOURS_TO_WITHDRAW)
    sources().control.withdraw_from_tournament(pb.EnterRequest(tournament=number, bot=name))
    return _back(number)


def can_enter(
    conn: Connection, tournament: Tournament, account: Account | None
) -> list[RegisteredBot]:
    """The bots that this account may yet enter."""
    takes_new = format_of(tournament.spec.format).takes_new
    open_ = tournament.open(instant.now()) or (takes_new and tournament.sign_up is None)
    if account is None or not open_ or tournament.state in OVER:
        return []
    mine = bots.all_bots(conn) if account.organiser else bots.owned_by(conn, account.id)
    if not account.organiser:
        mine = [bot for bot in mine if owner_may_enter(tournament.spec, bot)]
    there = set(tournament.players)
    if tournament.sign_up is not None:
        entered = sign_up.present(conn, tournament).values()
        try:
            sign_up.check_room(tournament, entered, _author(account))
        except LimitReached:
            return []
        there = {bot.player for bot in entered}
    return [bot for bot in mine if bot.retired is None and bot.player not in there]


def can_withdraw(conn: Connection, tournament: Tournament, account: Account | None) -> list[str]:
    """What the bots are called that this account may take out."""
    if account is None or not tournament.open(instant.now()):
        return []
    there = sign_up.present(conn, tournament)
    return [name for name, bot in there.items() if account.organiser or bot.owner == account.id]


def _author(account: Account) -> int | None:
    """Whose limit counts; None for an organiser, who has none."""
    return None if account.organiser else account.id


def _get(number: int) -> Tournament:
    with sources().read() as conn:
        return tournaments.get(conn, number)


def _back(number: int) -> ResponseReturnValue:
    return redirect(url_for("tournament.show", number=number), 303)
