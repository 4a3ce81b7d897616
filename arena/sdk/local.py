"""Matches between bots in this process, without arena or network: for an author's own tests."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from arena.match import Match, MatchSetup, Seat
from arena.protocol import codec
from arena.protocol.v1 import play_pb2 as pb
from arena.record import export
from arena.sdk.answer import answer, described, tell
from arena.sdk.bot import Bot
from arena.sdk.notices import Fault, MatchEnded, MatchStarted, RoundEnded


def play(
    bots: Sequence[Bot],
    game: str = "lama",
    seed: int | bytes | None = None,
    options: Mapping[str, str] | None = None,
    match: str = "local",
    fault_limit: int = 3,
) -> dict[str, Any]:
    """Plays one match of the bots, by seat; returns its record ("lama-arena/match/1").

    `seed` (16 bytes, or a number below 2**128) fixes the cards and the bots' `view.rng()`; drawn
    when None. `match` is the id that the bots see. Raises RulesError for a game, seats or options
    that cannot be.
    """
    return asyncio.run(play_async(bots, game, seed, options, match, fault_limit))


async def play_async(
    bots: Sequence[Bot],
    game: str = "lama",
    seed: int | bytes | None = None,
    options: Mapping[str, str] | None = None,
    match: str = "local",
    fault_limit: int = 3,
) -> dict[str, Any]:
    """The same where an event loop runs already."""
    setup = MatchSetup(
        id=match,
        game=game,
        seed=_seed_bytes(seed),
        seats=tuple(Seat(type(bot).__name__) for bot in bots),
        options=options or {},
        fault_limit=fault_limit,
    )
    table = Table(Match(setup), bots)
    await table.play()
    return export(table.match)


def _seed_bytes(seed: int | bytes | None) -> bytes:
    if seed is None:
        return secrets.token_bytes(16)
    return seed.to_bytes(16, "big") if isinstance(seed, int) else seed


class Table:
    """One match and the bots around it."""

    def __init__(self, match: Match, bots: Sequence[Bot]) -> None:
        self.match = match
        self.bots = bots
        self._curious = [bot for bot in bots if bot.wants_notices()]
        self._told_rounds = 0
        # Of the seed, so that the same one gives the same match again.
        seed = match.setup.seed
        self._keys = [sha256(b"key %d " % seat + seed).digest() for seat in range(len(bots))]

    async def play(self) -> None:
        """From the first decision to the end."""
        for seat, bot in enumerate(self.bots):
            if bot in self._curious:
                message = pb.MatchStarted.FromString(codec.encode_started(self.match, seat))
                await tell(bot.on_match_started, MatchStarted.decode(message))
        while self.match.decision is not None:
            await self._ask(self.bots[self.match.decision.seat])
            if self._curious:
                await self._tell_rounds()
        for bot in self._curious:
            ended = pb.MatchEnded.FromString(codec.encode_ended(self.match))
            await tell(bot.on_match_ended, MatchEnded.decode(ended))

    async def _ask(self, bot: Bot) -> None:
        view = self.match.decision
        assert view is not None
        try:
            fault = self.match.answer(await answer(bot, view._replace(key=self._keys[view.seat])))
        except Exception as error:
            # Whatever the bot raises is its fault, as it is in the arena.
            fault = self.match.fail("error", described(error))
        if fault is not None:
            message = pb.Fault.FromString(codec.encode_fault(self.match.setup.id, fault))
            await tell(bot.on_fault, Fault.decode(message))

    async def _tell_rounds(self) -> None:
        rounds = self.match.game.rounds
        while self._told_rounds < len(rounds) and rounds[self._told_rounds].points:
            self._told_rounds += 1
            message = pb.RoundEnded.FromString(codec.encode_round(self.match, self._told_rounds))
            for bot in self._curious:
                await tell(bot.on_round_ended, RoundEnded.decode(message))
