"""Starting a test match, and its page."""

import random
from collections.abc import Sequence

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy import Connection

from arena.base.errors import ArenaError, InvalidRequest, NotFound, NotNow, Unavailable
from arena.games.rules import game_class
from arena.protocol.v1 import control_pb2 as pb
from arena.service.live.player_presence import Presence
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import OVER, Tournament
from dashboard.account.guard import limited
from dashboard.account.rights import signed_in, the_account
from dashboard.bots.manage.own import TRIAL_MOVES_S, latest_tests, my_bot
from dashboard.bots.manage.view import bot_page
from dashboard.bots.trial.verdict import verdict
from dashboard.events.topics import live_part, page_or_part
from dashboard.sources import sources
from dashboard.system import errors

page = Blueprint("trial", __name__)

START_GRACE_S = 5


@page.post("/my/bots/<bot:name>/tests")
@signed_in
@limited("10 per minute", "200 per hour")
def begin(name: str) -> ResponseReturnValue:
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
        number = _started(bot, game, seats, move_s)
    except ArenaError as error:
        page = bot_page(bot, chosen=chosen, trial_problem=errors.sentence_of(error))
        return page, errors.status_of(error)
    return redirect(url_for("trial.show", name=bot.name, number=number), 303)


@page.get("/my/bots/<bot:name>/tests/<number:number>", endpoint="show")
@page.get("/my/bots/<bot:name>/tests/<number:number>/live", endpoint="live")
@signed_in
def show(name: str, number: int) -> str:
    part = live_part(f"tournament-{number}")
    with sources().read() as conn:
        bot = my_bot(conn, name)
        test = _test(conn, number)
        entered = bots.by_players(conn, test.players)
        mine = [each for each in entered.values() if each.id == bot.id]
        if not mine:
            raise NotFound(f"{bot.name} had no test {number}.")
        played = [each for each in matches.iterate_matches(conn, test.id) if not each.locked]
    return page_or_part(
        "bots/trial",
        part=part,
        bot=mine[0],
        test=test,
        matches=played,
        opponents=[each.name for each in entered.values() if each.id != bot.id],
        verdict=verdict(played, mine[0].player, hosted=mine[0].hosted),
        over=test.state in OVER,
    )


def _test(conn: Connection, number: int) -> Tournament:
    """Return a test of the signed-in account. Raises NotFound."""
    tournament = tournaments.get(conn, number)
    if tournament.kind != "test" or tournament.owner != the_account().id:
        raise NotFound(f"There is no tournament {number}.")
    return tournament


def _started(bot: RegisteredBot, game: str, seats: int, move_s: int) -> int:
    """Start a test of the bot, with a match from each seat, and return its number.

    If a test of this bot is running, return that one. Raises InvalidRequest for an unknown game, or
    a wrong number of seats or time for a move; NotNow if the test is not possible now; and
    Unavailable if the arena is not running.
    """
    game_class(game).check_seats(seats)
    allowed = [*TRIAL_MOVES_S][: 1 if bot.hosted else None]
    if move_s not in allowed:
        raise InvalidRequest(
            f"The time for a move is {move_s} s. Choose {' or '.join(map(str, allowed))} s."
        )
    with sources().read() as conn:
        house = [each for each in bots.all_bots(conn) if each.kind == "house" and each != bot]
        before = latest_tests(conn, the_account().id, bot.id, 1)
    if before and before[0].state not in OVER:
        return before[0].id
    opponents = _opponents(bot, house, game, seats)
    spec = pb.TournamentSpec(
        name=f"Test of {bot.name}",
        game=game,
        seats=seats,
        bots=[bot.name, *(each.name for each in opponents)],
        matches=seats,
        move_ms=1000 * move_s,
        start_grace_s=START_GRACE_S,
    )
    return sources().control.create_tournament(spec, owner=the_account().id, kind="test").id


def _opponents(
    bot: RegisteredBot, house: Sequence[RegisteredBot], game: str, seats: int
) -> list[RegisteredBot]:
    if bot.retired is not None:
        raise NotNow(f"{bot.name} is retired. Reinstate it first.")
    live = sources().live([bot.player, *(each.player for each in house)])
    if not live.known or not live.gateway:
        raise Unavailable("The arena is not running, so no matches can be played. Try again later.")
    _check_here(bot, live.connected.get(bot.player), game, seats)
    ready = [
        each
        for each in house
        if each.player in live.connected and live.connected[each.player].plays(game, seats)
    ]
    if len(ready) < seats - 1:
        raise NotNow(
            f"A table of {seats} needs {seats - 1} house bots that play {game}, but only "
            f"{len(ready)} are connected. Choose fewer seats or try again later."
        )
    return random.sample(ready, seats - 1)


def _check_here(bot: RegisteredBot, here: Presence | None, game: str, seats: int) -> None:
    if bot.hosted and (here is None or not here.connected):
        raise NotNow(f"{bot.name} is not running yet. Try again in a minute.")
    if here is None or not here.connected:
        raise NotNow(f"{bot.name} is not connected. Start your program, then test it.")
    if game not in here.games:
        raise NotNow(
            f"{bot.name} plays {', '.join(here.games)}, not {game}. Choose one of these games, or "
            "add the game to `games` in your program."
        )
    if not here.plays(game, seats):
        raise NotNow(
            f"{bot.name} plays at {here.min_seats} to {here.max_seats} seats, not at {seats}. "
            "Choose another number."
        )
