"""Starts a game, and waits for the first cards."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import redis
from flask import abort, redirect, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from arena.games.rules import game_class
from arena.service.live import people
from arena.service.live.dispatch import send_advance
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments.tournaments import Tournament
from dashboard.play import guests as visitors
from dashboard.play.guests import Visitor
from dashboard.play.table_state import NotYours, is_dealt
from dashboard.sources import sources
from dashboard.system import errors

# How long the answer to a form waits for its effect.
DEAL_WITHIN_S = 2.0
LOOK_EVERY_S = 0.02

NO_REDIS = "The arena is not reachable. Your game is saved. Try again shortly."
ELSEWHERE = "This is another player's game. When the match is over, everyone can watch its replay."
WITH_ACCOUNT = "You need an account to play on this arena. Sign in first."


def no_redis(_: redis.RedisError) -> ResponseReturnValue:
    """Handles an error of the pages for players: the arena lost its Redis."""
    return errors.answer(503, NO_REDIS)


def not_yours(error: NotYours) -> ResponseReturnValue:
    """Handles the request for a game of another player."""
    if error.match:
        return redirect(url_for("replay.show", match=error.match), 303)
    return errors.answer(403, ELSEWHERE)


def closed_to(who: Visitor) -> bool:
    """Whether the visitor needs an account to play."""
    return sources().settings.play == "accounts" and who.account is None


def check_open(who: Visitor) -> None:
    """Answers 403 if the visitor needs an account to play."""
    if closed_to(who):
        abort(403, WITH_ACCOUNT)


def asked_game(fields: Mapping[str, str]) -> str:
    """The game in a request's fields, L.A.M.A. by default. Raises UnknownGame."""
    return game_class(fields.get("game", "lama")).name


def begin(table: Tournament, me: RegisteredBot, called: str) -> Response:
    """Has a new game dealt, and redirects the player to it. `called` is a guest's name."""
    deal(table, [me])
    response = redirect(url_for("play.table", number=table.id), 303)
    visitors.remember(response, me, called)
    return response


def deal(table: Tournament, players: Sequence[RegisteredBot]) -> None:
    """Has a new game of these people dealt, and waits for the cards for a moment."""
    for one in players:
        people.mark_present(
            sources().redis, one.player, one.name, table.spec.game, table.spec.seats
        )
    send_advance(sources().settings.redis_url, table.id)
    until(lambda: _is_dealt(table.id), DEAL_WITHIN_S)


def _is_dealt(number: int) -> bool:
    with sources().read() as conn:
        return is_dealt(conn, number)


def until(condition: Callable[[], bool], within_s: float) -> None:
    """Waits until the condition holds or the time is over."""
    limit = time.monotonic() + within_s
    while not condition() and time.monotonic() < limit:
        time.sleep(LOOK_EVERY_S)
