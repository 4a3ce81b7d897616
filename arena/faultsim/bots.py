"""Bots that play honestly, and the same decision always in the same way."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from arena.match import Match, MatchSetup
from arena.protocol.v1 import play_pb2 as pb


def choose(bot: str, match: str, number: int, indices: Iterable[int]) -> int:
    """The action that a bot takes at a decision, by its stable index."""
    offered = tuple(indices)
    return offered[zlib.crc32(f"{bot}/{match}/{number}".encode()) % len(offered)]


@dataclass(frozen=True, slots=True)
class SimBot:
    """A bot program."""

    name: str
    player: int
    think_s: float = 0.001  # for each message

    def answers(self, message: pb.ArenaMessage) -> pb.BotMessage | None:
        """What it sends when it has read a message."""
        choices = [
            pb.Choice(
                ticket=decision.ticket,
                index=choose(
                    self.name, decision.view.match, decision.view.number, decision.view.indices
                ),
            )
            for decision in message.batch.decisions
        ]
        return pb.BotMessage(choices=pb.Choices(choices=choices)) if choices else None


def play_directly(setup: MatchSetup) -> Match:
    """The match as these bots play it without any arena around."""
    match = Match(setup)
    while (view := match.decision) is not None:
        bot = setup.seats[view.seat].bot
        match.answer(choose(bot, view.match, view.number, view.indices))
    return match
