"""The version, game and number of seats that a bot's page shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flask import request
from sqlalchemy import Connection

from arena.base.errors import NotFound
from arena.games.rules import GAMES, game_class
from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.reports.leaderboard import OVERALL
from dashboard.api.parameters import text
from dashboard.bots.profile.queries import VersionRating, lines_of
from dashboard.ratings.table.query import first_game
from dashboard.urls import requested_number

VERSION = text(
    "version",
    "A version of the bot. Default: the newest version rated in the game.",
    "a version's name",
    "[A-Za-z0-9][A-Za-z0-9._+-]{0,39}",
)


@dataclass(frozen=True)
class BotQuery:
    """A bot in a version, a game and a number of seats (0 for all tables). `versions` are all its
    versions, newest first; `lines` are their lines in leaderboards."""

    bot: RegisteredBot
    version: RegisteredBot
    game: str
    seats: int
    versions: Sequence[RegisteredBot]
    lines: Sequence[VersionRating]

    def but(self, **changed: Any) -> dict[str, Any]:
        fields = {"game": self.game, "seats": self.seats, "version": self.version.version} | changed
        return {
            "name": self.bot.name,
            "game": fields["game"],
            "seats": fields["seats"] or None,
            "version": None if fields["version"] == self.usual.version else fields["version"],
        }

    @property
    def usual(self) -> RegisteredBot:
        rated = {line.player for line in self.lines if line.game == self.game}
        return _chosen(self.bot, self.versions, "", rated)

    @property
    def games(self) -> list[str]:
        return [name for name in GAMES if any(line.game == name for line in self.lines)]

    @property
    def seat_counts(self) -> list[int]:
        own = (line for line in self.lines if line.player == self.version.player)
        return sorted(line.seats for line in own if line.game == self.game and line.seats)


def bot_query(conn: Connection, name: str) -> BotQuery:
    """Return the query of the current request. Raises InvalidRequest, NotFound."""
    seats = requested_number("seats", OVERALL) or OVERALL
    game, version = (request.args.get(part, "").strip() for part in ("game", "version"))
    return bot_query_of(conn, name, game, version, seats)


def bot_query_of(
    conn: Connection, name: str, game: str | None, version: str | None, seats: int = OVERALL
) -> BotQuery:
    """Return a query by its parts; empty ones get defaults. Raises InvalidRequest, NotFound."""
    bot = bots.public(conn, name)
    versions = bots.versions(conn, bot.id)
    lines = lines_of(conn, [each.player for each in versions])
    named = game_class(game).name if game else first_game([line.game for line in lines])
    if seats != OVERALL:
        game_class(named).check_seats(seats)
    chosen = _chosen(bot, versions, version, {ln.player for ln in lines if ln.game == named})
    return BotQuery(bot, chosen, named, seats, versions, lines)


def _chosen(
    bot: RegisteredBot, versions: Sequence[RegisteredBot], wanted: str | None, rated: set[int]
) -> RegisteredBot:
    if wanted:
        for each in versions:
            if each.version == wanted:
                return each
        raise NotFound(f'{bot.name} has no version "{wanted[:40]}".')
    played = [each for each in versions if each.player in rated]
    return (played or versions)[0]
