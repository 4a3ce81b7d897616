"""Honest, deterministic bots."""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from arena.games.match import Match, MatchSetup
from arena.games.rules import View, game_class
from arena.games.rules.packed import layout_of
from arena.games.rules.rows import VERSION
from arena.protocol.v1 import play_pb2 as pb


def choose(bot: str, match: str, number: int, indices: Iterable[int]) -> int:
    """Return the action of a bot at a decision, by its stable index."""
    offered = tuple(indices)
    return offered[zlib.crc32(f"{bot}/{match}/{number}".encode()) % len(offered)]


@dataclass(frozen=True, slots=True)
class SimBot:
    """A bot program."""

    name: str
    player: int
    think_s: float = 0.001  # for each message
    hosted: bool = False  # a host plays it

    def answers(self, message: pb.ArenaMessage) -> pb.BotMessage | None:
        """Return its answer to a message."""
        choices = pb.Choices()
        for decision in message.batch.decisions:
            choices.choices.add(ticket=decision.ticket, index=self._choice(decision.view))
        for packed in message.batch.packed:
            layout = layout_of(game_class(packed.game), packed.seats)
            views = layout.unpack_all(packed.rows, packed.moves, packed.options, b"")
            choices.tickets.extend(packed.tickets)
            choices.indices.extend([self._choice(view) for view in views])
        return pb.BotMessage(choices=choices) if choices.ListFields() else None

    def _choice(self, view: View | pb.View) -> int:
        return choose(self.name, view.match, view.number, view.indices)

    @property
    def packed(self) -> int:
        """The layout of packed decisions that it reads: every other bot does."""
        return VERSION if self.player % 2 else 0


def play_directly(setup: MatchSetup) -> Match:
    """The match as these bots play it without any arena around."""
    match = Match(setup)
    while (view := match.decision) is not None:
        bot = setup.seats[view.seat].bot
        match.answer(choose(bot, view.match, view.number, view.indices))
    return match
