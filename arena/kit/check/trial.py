"""A bot that is being checked, and what a check is.

A check is a coroutine function that is given a `Trial`. It returns what was seen, in words; it
raises `Failed` with what the bot did, or `NotTried` with the reason.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from arena.games.rules import View
from arena.kit.check.playing import Player, Table, table
from arena.kit.check.program import Program
from arena.kit.check.server import CheckServer
from arena.kit.check.session import Failed, Session

BACK_WITHIN_S = 10.0


class NotTried(Exception):
    """The check does not concern this bot, or cannot be made; says why."""


@dataclass
class Trial:
    """A bot that is being checked."""

    server: CheckServer
    program: Program | None  # None for one that connects from elsewhere
    session: Session
    start_s: float
    move_s: float
    matches: int

    def player(self) -> Player:
        """Somebody to play with it in the session that is open now."""
        return Player(self.session, self.move_s)

    def opening(self, seed: int) -> tuple[Table, View]:
        """A new match, and the first decision in it that is the bot's."""
        one = table(self.game, self.session.seats.start, seed)
        view = one.advance()
        assert view is not None
        return one, view

    @property
    def game(self) -> str:
        """The first game that it plays."""
        return self.session.hello.games[0]

    async def back(self, within_s: float = 0.0) -> None:
        """Waits until it has connected again. Raises Failed."""
        within_s = within_s or BACK_WITHIN_S
        try:
            self.session = await self.server.opened(within_s)
        except TimeoutError:
            raise Failed(f"It did not connect again within {within_s:.0f} s.") from None
        await self.session.welcome(within_s)

    async def is_well(self, player: Player, seed: int) -> None:
        """Raises Failed unless it still plays a match."""
        await player.play([table(self.game, self.session.seats.start, seed)], 1)


@dataclass(frozen=True, slots=True)
class Check:
    """Something that is tried."""

    name: str
    run: Callable[[Trial], Awaitable[str]]
    remedy: str
