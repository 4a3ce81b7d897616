"""Cancel and resume a tournament, after confirmation; set its priority; enter and withdraw bots."""

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
from arena.store.tournaments.authors import owner_may_enter
from arena.store.tournaments.tournaments import OVER, Tournament
from arena.tournaments.formats import format_of
from dashboard.account.rights import organiser, signed_in, the_account
from dashboard.sources import sources

page = Blueprint("conduct", __name__)

NEEDS_TRUST = "Only organisers enter bots here, because they have to trust every entrant."
REMEMBERS = (
    "This tournament uses duplicate deals, so bots must not remember them. Enter a hosted version."
)
NOT_YOURS = "You can enter your own bots; organisers enter any."
NOT_YOURS_TO_WITHDRAW = "You can withdraw your own bots; organisers withdraw any."


@page.get("/tournaments/<number:number>/cancel")
@organiser
def ask_to_cancel(number: int) -> ResponseReturnValue:
    tournament = _get(number)
    if tournament.state in OVER:
        raise NotNow(f"Tournament {number} is {tournament.state}, so it cannot be cancelled.")
    return render_template("tournaments/lifecycle/page.html", tournament=tournament, act="cancel")


@page.post("/tournaments/<number:number>/cancel")
@organiser
def cancel(number: int) -> ResponseReturnValue:
    sources().control.cancel_tournament(pb.TournamentId(id=number))
    return _back(number)


@page.get("/tournaments/<number:number>/resume")
@organiser
def ask_to_resume(number: int) -> ResponseReturnValue:
    """Show the confirmation page for resuming, or for starting before the start time."""
    tournament = _get(number)
    early = tournament.scheduled(instant.now())
    if tournament.state != "cancelled" and not early:
        raise NotNow(f"Tournament {number} is {tournament.state}, so it cannot be resumed.")
    return render_template(
        "tournaments/lifecycle/page.html", tournament=tournament, act="resume", early=early
    )


@page.post("/tournaments/<number:number>/resume")
@organiser
def resume(number: int) -> ResponseReturnValue:
    sources().control.resume_tournament(pb.TournamentId(id=number))
    return _back(number)


@page.post("/tournaments/<number:number>/priority")
@organiser
def set_priority(number: int) -> ResponseReturnValue:
    asked = pb.PriorityRequest(tournament=number, priority=request.form.get("priority", ""))
    sources().control.set_priority(asked)
    return _back(number)


@page.post("/tournaments/<number:number>/enter")
@signed_in
def enter(number: int) -> ResponseReturnValue:
    """Enter a bot in a ladder or a tournament open for sign-up, as its owner or an organiser."""
    account = the_account()
    with sources().read() as conn:
        tournament = tournaments.get(conn, number)
        bot = bots.public(conn, request.form.get("bot", ""))
    if not (account.organiser or bot.owner == account.id):
        abort(403, NOT_YOURS)
    if not account.organiser and not owner_may_enter(tournament.spec, bot):
        abort(403, NEEDS_TRUST if tournament.spec.trusted else REMEMBERS)
    asked = pb.EnterRequest(tournament=number, bot=bot.name)
    sources().control.enter_tournament(asked, author=_author(account))
    return _back(number)


@page.post("/tournaments/<number:number>/withdraw")
@signed_in
def withdraw(number: int) -> ResponseReturnValue:
    """Withdraw a bot before the start, as its owner or an organiser."""
    account, name = the_account(), request.form.get("bot", "")
    with sources().read() as conn:
        bot = bots.public(conn, name.partition(bots.OF_VERSION)[0])
    if not (account.organiser or bot.owner == account.id):
        abort(403, NOT_YOURS_TO_WITHDRAW)
    sources().control.withdraw_from_tournament(pb.EnterRequest(tournament=number, bot=name))
    return _back(number)


def can_enter(
    conn: Connection, tournament: Tournament, account: Account | None
) -> list[RegisteredBot]:
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
    if account is None or not tournament.open(instant.now()):
        return []
    there = sign_up.present(conn, tournament)
    return [name for name, bot in there.items() if account.organiser or bot.owner == account.id]


def _author(account: Account) -> int | None:
    """Return the author whose limit applies; None for an organiser, who has no limit."""
    return None if account.organiser else account.id


def _get(number: int) -> Tournament:
    with sources().read() as conn:
        return tournaments.get(conn, number)


def _back(number: int) -> ResponseReturnValue:
    return redirect(url_for("tournament.show", number=number), 303)
