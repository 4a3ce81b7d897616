"""The bot under test, and the interface of a check.

A check is a coroutine function with a `Trial` as its argument. It returns a summary, or raises
`Failed` or `NotTried` with the reason.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from arena.games.rules import View
from arena.kit.check.playing import Player, PlayStats, Table, table
from arena.kit.check.program import Program
from arena.kit.check.server import CheckServer, Failed, Session

BACK_WITHIN_S = 10.0


class NotTried(Exception):
    """The check does not apply to this bot. The message says why."""


@dataclass
class Trial:
    """The bot under test."""

    server: CheckServer
    program: Program | None  # None for a bot started elsewhere
    session: Session
    start_s: float
    move_s: float
    matches: int
    seen: PlayStats = field(default_factory=PlayStats)  # of the latest player

    def player(self) -> Player:
        made = Player(self.session, self.move_s)
        self.seen = made.seen
        return made

    def opening(self, seed: int) -> tuple[Table, View]:
        """Return a new match and the bot's first decision in it."""
        one = table(self.game, self.session.seats.start, seed)
        view = one.advance()
        assert view is not None
        return one, view

    @property
    def game(self) -> str:
        """The bot's first game."""
        return self.session.hello.games[0]

    async def back(self, within_s: float = 0.0) -> None:
        """Wait until the bot has connected again. Raises Failed."""
        within_s = within_s or BACK_WITHIN_S
        try:
            self.session = await self.server.opened(within_s)
        except TimeoutError:
            raise Failed(f"The bot did not connect again within {within_s:.0f} s.") from None
        await self.session.welcome(within_s)

    async def is_well(self, player: Player, seed: int) -> None:
        """Raise Failed unless the bot still plays a match."""
        await player.play([table(self.game, self.session.seats.start, seed)], 1)


@dataclass(frozen=True, slots=True)
class Check:
    """A check, with advice for the author of a bot that fails it."""

    name: str
    run: Callable[[Trial], Awaitable[str]]
    remedy: str
