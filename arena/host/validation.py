"""Tries a bot that was submitted before anything counts: it has to come up, and to play a match of
each game that it says it plays, without a fault."""

from __future__ import annotations

import asyncio
from statistics import median

from arena.bots import HOUSE
from arena.errors import InvalidRequest
from arena.hosted.jailed import Fault, JailedBot
from arena.protocol.v1 import play_pb2 as pb
from arena.rules import GAMES
from arena.rules.game import MOST_SEATS
from arena.sdk.bot import Bot
from arena.sdk.local import play_async

OPPONENT = "careful"
MATCH_S = 300.0  # for a match, in which a bot that thinks has two seconds for each move
SEED = 20  # of the deals; the same for everybody, so that a second try is the same match


async def validated(bot: JailedBot) -> tuple[pb.Hello, list[str]]:
    """What the bot says of itself, and lines for its author. Raises InvalidRequest with what it
    did wrong; Unavailable if that was ours."""
    try:
        await bot.prepare()
    except Fault as error:
        raise InvalidRequest(f"The bot does not start. {error}") from None
    bot.is_prepared = True
    games, lines = _games(bot.hello), []
    for game in games:
        try:
            await asyncio.wait_for(play_async(_table(bot, game), game, SEED), MATCH_S)
        except TimeoutError:
            raise InvalidRequest(f"A match of {game} took longer than {MATCH_S:g} s.") from None
        if bot.broken:
            raise InvalidRequest(f"The bot ended its jail in a match of {game}: {bot.broken}")
        if bot.faults:
            fault = bot.faults[0]
            raise InvalidRequest(f"A fault in a match of {game} ({fault.kind}): {fault.reason}")
        lines.append(f"{game}: a match without a fault against {OPPONENT}.")
    if bot.cpu_us:
        lines.append(
            f"{len(bot.cpu_us):,} answers, half of them within {median(bot.cpu_us) / 1000:.2f} ms"
            f" of CPU time, all within {max(bot.cpu_us) / 1000:.2f} ms."
        )
    return bot.hello, lines


def _games(hello: pb.Hello) -> list[str]:
    """The games that it plays. Raises InvalidRequest."""
    if not hello.games:
        raise InvalidRequest("The bot plays no game: set `games`.")
    if unknown := [game for game in hello.games if game not in GAMES]:
        raise InvalidRequest(
            f"The bot says that it plays {', '.join(unknown)}; there is: {', '.join(GAMES)}."
        )
    if not 2 <= (hello.min_seats or 2) <= (hello.max_seats or MOST_SEATS) <= MOST_SEATS:
        raise InvalidRequest(f"The bot has to play at two to {MOST_SEATS} seats: set `min_seats`.")
    return list(dict.fromkeys(hello.games))


def _table(bot: JailedBot, game: str) -> list[Bot]:
    return [bot, *(HOUSE[OPPONENT]() for _ in range(bot.min_seats - 1))]
