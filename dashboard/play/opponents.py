"""The bots that can be chosen as opponents."""

from __future__ import annotations

from dataclasses import dataclass

from arena.bots import BOTS, CHARACTERS
from arena.service.live.presence import Presence
from arena.store.registry import bots, profiles
from arena.store.registry.bots import RegisteredBot
from arena.store.reports import leaderboard
from dashboard.sources import sources


@dataclass(frozen=True)
class Opponent:
    """A connected bot that can be chosen as an opponent. `rating` is for the game asked for, at
    all table sizes; None if the bot is not rated."""

    bot: RegisteredBot
    presence: Presence
    rating: float | None = None
    about: str = ""  # how it plays

    @property
    def house(self) -> bool:
        return self.bot.kind == "house"

    @property
    def strength(self) -> tuple[bool, float, int, str]:
        """Sort key from weak to strong. Unrated bots come last, house bots first among them."""
        order = list(BOTS) if self.house else []
        usual = order.index(self.bot.name) if self.bot.name in order else len(BOTS)
        return self.rating is None, self.rating or 0.0, usual, self.bot.name


def available(game: str) -> list[Opponent]:
    """The available opponents, from weak to strong in this game."""
    with sources().read() as conn:
        registered = bots.all_bots(conn)
    connected = sources().live([bot.player for bot in registered]).connected
    here = [bot for bot in registered if bot.player in connected]
    with sources().read() as conn:
        rated = leaderboard.by_player(conn, game)
        about = profiles.descriptions(conn, {bot.id for bot in here})
    opponents = [
        Opponent(
            bot,
            connected[bot.player],
            rated[bot.player].rating if bot.player in rated else None,
            about.get(bot.id) or CHARACTERS.get(bot.name, ""),
        )
        for bot in here
        if connected[bot.player].connected
    ]
    return sorted(opponents, key=lambda opponent: opponent.strength)
