"""Starting a test match."""

from __future__ import annotations

import random
from collections.abc import Sequence

from arena.base.errors import InvalidRequest, NotNow, Unavailable
from arena.games.rules import game_class
from arena.protocol.v1 import control_pb2 as pb
from arena.service.live.presence import Presence
from arena.store.registry import bots
from arena.store.registry.accounts import Account
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments.tournaments import OVER
from dashboard.bots.manage.queries import TRIAL_MOVES_S, latest
from dashboard.sources import Sources

START_GRACE_S = 5


def start(
    sources: Sources, account: Account, bot: RegisteredBot, game: str, seats: int, move_s: int
) -> int:
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
    with sources.read() as conn:
        house = [each for each in bots.all_bots(conn) if each.kind == "house" and each != bot]
        before = latest(conn, account.id, bot.id, 1)
    if before and before[0].state not in OVER:
        return before[0].id
    opponents = _opponents(sources, bot, house, game, seats)
    spec = pb.TournamentSpec(
        name=f"Test of {bot.name}",
        game=game,
        seats=seats,
        bots=[bot.name, *(each.name for each in opponents)],
        matches=seats,
        move_ms=1000 * move_s,
        start_grace_s=START_GRACE_S,
    )
    return sources.control.create_tournament(spec, owner=account.id, kind="test").id


def _opponents(
    sources: Sources, bot: RegisteredBot, house: Sequence[RegisteredBot], game: str, seats: int
) -> list[RegisteredBot]:
    if bot.retired is not None:
        raise NotNow(f"{bot.name} is retired. Reinstate it first.")
    live = sources.live([bot.player, *(each.player for each in house)])
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
