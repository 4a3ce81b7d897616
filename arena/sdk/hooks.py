"""Sends bots in this process the notices of a match, as the arena does for connected bots."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from arena.games.match import Match
from arena.protocol import codec
from arena.protocol.v1 import play_pb2 as pb
from arena.sdk.answer import call_hook
from arena.sdk.bot import Bot
from arena.sdk.notices import MatchEnded, MatchStarted, RoundEnded

Hook: TypeAlias = Callable[[Any], Awaitable[None] | None]
Notify: TypeAlias = Callable[[int, Hook, object], Awaitable[None]]


async def notify(seat: int, hook: Hook, notice: object) -> None:
    """Calls a hook of the bot in a seat. Exceptions are printed and otherwise ignored."""
    await call_hook(hook, notice)


class Hooks:
    """Calls the hooks of bots at a match, by seat, for bots that want notices.

    Each call goes through `notify`, which gets the seat, the hook and the notice.
    """

    def __init__(self, match: Match, bots: Mapping[int, Bot], notify: Notify = notify) -> None:
        self._match = match
        self._notify = notify
        self._bots = {seat: bot for seat, bot in bots.items() if bot.wants_notices()}
        self._rounds_sent = 0

    async def started(self) -> None:
        """Call this before the first decision."""
        for seat, bot in self._bots.items():
            message = pb.MatchStarted.FromString(codec.encode_started(self._match, seat))
            await self._notify(seat, bot.on_match_started, MatchStarted.decode(message))

    async def rounds_ended(self) -> None:
        """Call this after each decision. Sends notices of newly scored rounds."""
        rounds = self._match.game.rounds
        while self._bots and self._rounds_sent < len(rounds) and rounds[self._rounds_sent].points:
            self._rounds_sent += 1
            message = pb.RoundEnded.FromString(codec.encode_round(self._match, self._rounds_sent))
            for seat, bot in self._bots.items():
                await self._notify(seat, bot.on_round_ended, RoundEnded.decode(message))

    async def ended(self) -> None:
        """Call this after the last decision."""
        for seat, bot in self._bots.items():
            message = pb.MatchEnded.FromString(codec.encode_ended(self._match))
            await self._notify(seat, bot.on_match_ended, MatchEnded.decode(message))
