"""Validates a submitted bot: it must start, and play a match of each of its games without a fault.

A trial match has no limit of wall time, because a busy machine would use it up. It ends at the
first fault. Waiting is limited by the budget of a match (`Allowance.waiting_s`), and computing by
CPU time.
"""

import asyncio
from statistics import median

from arena.base.errors import InvalidRequest
from arena.bots import HOUSE
from arena.games.rules import GAMES
from arena.games.rules.game import MOST_SEATS
from arena.hosting.hosted.sandboxed import Fault, SandboxedBot
from arena.protocol.hello import completed
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.bot import Bot
from arena.sdk.local import play_async

OPPONENT = "careful"
MATCH_CPU_S = 300.0  # for a match, with two seconds per move
LOOK_S = 1.0  # between two checks of the CPU time
SEED = 20  # of the deals; fixed, so that a second attempt plays the same match


async def validated(bot: SandboxedBot) -> tuple[pb.Hello, list[str]]:
    """Return the bot's Hello as a gateway will see it, and lines for its author. Raises
    InvalidRequest for an error of the bot, and Unavailable if the host failed."""
    try:
        await bot.prepare()
    except Fault as error:
        raise InvalidRequest(f"The bot does not start. {error}") from None
    bot.is_prepared = True
    _check_games(bot.hello)
    hello, lines = completed(bot.hello), []
    for game in hello.games:
        await _play(bot, game)
        if bot.broken:
            raise InvalidRequest(f"The bot ended its sandbox in a match of {game}: {bot.broken}")
        if bot.faults:
            fault = bot.faults[0]
            raise InvalidRequest(
                f"A fault at decision {fault.number} of a match of {game} ({fault.kind}):"
                f" {fault.reason}"
            )
        lines.append(f"{game}: a match without a fault against {OPPONENT}.")
    if bot.cpu_us:
        lines.append(
            f"{len(bot.cpu_us):,} answers, half of them within {median(bot.cpu_us) / 1000:.2f} ms"
            f" of CPU time, all within {max(bot.cpu_us) / 1000:.2f} ms."
        )
    return hello, lines


async def _play(bot: SandboxedBot, game: str) -> None:
    """Play a match to the first fault. Raises InvalidRequest if it takes too much CPU time."""
    before = len(bot.cpu_us)
    match = asyncio.create_task(play_async(_table(bot, game), game, SEED, fault_limit=1))
    try:
        while not match.done():
            await asyncio.wait({match}, timeout=LOOK_S)
            if sum(bot.cpu_us[before:]) > MATCH_CPU_S * 1_000_000:
                raise InvalidRequest(
                    f"The bot used more than {MATCH_CPU_S:g} s of CPU time in a match of {game}. "
                    "Make its decisions faster."
                )
        match.result()
    finally:
        match.cancel()


def _check_games(hello: pb.Hello) -> None:
    """Raises InvalidRequest in the terms of the SDK, where `completed` names fields of Hello."""
    if not hello.games:
        raise InvalidRequest("The bot plays no game. Set `games`.")
    if unknown := [game for game in hello.games if game not in GAMES]:
        raise InvalidRequest(
            f"The bot plays unknown games: {', '.join(unknown)}. Choose from {', '.join(GAMES)}."
        )
    if not 2 <= (hello.min_seats or 2) <= (hello.max_seats or MOST_SEATS) <= MOST_SEATS:
        raise InvalidRequest(f"The bot must play at two to {MOST_SEATS} seats. Set `min_seats`.")


def _table(bot: SandboxedBot, game: str) -> list[Bot]:
    return [bot, *(HOUSE[OPPONENT]() for _ in range(bot.min_seats - 1))]
