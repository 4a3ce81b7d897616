"""Starting a test match, and its page."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import Connection

from arena.base.errors import ArenaError, NotFound
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import OVER, Tournament
from dashboard.account.guard import limited
from dashboard.account.rights import signed_in, the_account
from dashboard.bots.manage.own import my_bot
from dashboard.bots.manage.view import bot_page
from dashboard.bots.trial.start import start
from dashboard.bots.trial.verdict import verdict
from dashboard.events.part import live_part
from dashboard.sources import sources
from dashboard.system import errors

page = Blueprint("trial", __name__)


@page.post("/my/bots/<bot:name>/tests")
@signed_in
@limited("10 per minute", "200 per hour")
def begin(name: str) -> ResponseReturnValue:
    """Start a test match, and redirect to it."""
    game, *numbers = chosen = [
        request.form.get(name, usual)
        for name, usual in (("game", ""), ("seats", ""), ("move_s", "2"))
    ]
    with sources().read() as conn:
        bot = my_bot(conn, name)
    seats, move_s = (
        int(each) if each.isascii() and each.isdigit() and len(each) < 6 else 0 for each in numbers
    )
    try:
        number = start(sources(), the_account(), bot, game, seats, move_s)
    except ArenaError as error:
        page = bot_page(bot, chosen=chosen, trial_problem=errors.sentence_of(error))
        return page, errors.status_of(error)
    return redirect(url_for("trial.show", name=bot.name, number=number), 303)


@page.get("/my/bots/<bot:name>/tests/<number:number>")
@signed_in
def show(name: str, number: int) -> str:
    return render_template("bots/trial/page.html", **_context(name, number))


@page.get("/my/bots/<bot:name>/tests/<number:number>/live")
@signed_in
def live(name: str, number: int) -> str:
    return render_template("bots/trial/live.html", **_context(name, number))


def _context(name: str, number: int) -> dict[str, object]:
    part = live_part(f"tournament-{number}")
    with sources().read() as conn:
        bot = my_bot(conn, name)
        test = _test(conn, number)
        entered = bots.by_players(conn, test.players)
        mine = [each for each in entered.values() if each.id == bot.id]
        if not mine:
            raise NotFound(f"{bot.name} had no test {number}.")
        played = [each for each in matches.iterate_matches(conn, test.id) if not each.locked]
    return {
        "part": part,
        "bot": mine[0],
        "test": test,
        "matches": played,
        "opponents": [each.name for each in entered.values() if each.id != bot.id],
        "verdict": verdict(played, mine[0].player, hosted=mine[0].hosted),
        "over": test.state in OVER,
    }


def _test(conn: Connection, number: int) -> Tournament:
    """Return a test of the signed-in account. Raises NotFound."""
    tournament = tournaments.get(conn, number)
    if tournament.kind != "test" or tournament.owner != the_account().id:
        raise NotFound(f"There is no tournament {number}.")
    return tournament
