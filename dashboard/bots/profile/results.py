"""The results of one version of a bot as JSON: Elo history, opponents, seats."""

from __future__ import annotations

from typing import Any

from arena.store.projections import rating_history, seat_totals
from arena.store.projections.rating_history import Point
from arena.store.projections.seat_totals import SeatTotals
from arena.store.reports import leaderboard
from arena.tournaments.ratings.pairs import Pair
from dashboard.api.answer import answers, page_of
from dashboard.api.parameters import AFTER, GAME, SEATS, limit
from dashboard.api.shape import Many, Shape
from dashboard.bots.profile.queries import OpponentMet, opponents
from dashboard.bots.profile.query import VERSION, BotQuery, bot_query_of
from dashboard.bots.profile.view import page
from dashboard.sources import sources

__all__ = ["page"]

OF = {"bot": str, "version": str, "game": str}
HISTORY = Shape(
    "History",
    about="The history of a bot's live Elo, in at most 258 points. If its strength does not change,"
    " its Elo is between `low` and `high` in 95 of 100 cases.",
    more={**OF, "seats": int, "points": list[Point]},
)
OPPONENT = Shape(
    "Opponent",
    Pair,
    about="An opponent of a bot in complete deals. Scores are the bot's, from 0 to 1."
    " `difference` is its lead in Elo.",
    hidden=("player",),
    more={"other": str, "other_version": str, "other_rating": float | None},
)
OPPONENTS = Shape(
    "Opponents",
    about="The opponents of a bot, best rated first.",
    more={**OF, "seats": int, "opponents": Many(OPPONENT), "next": str},
)
SEAT_LINES = Shape(
    "SeatResults",
    about="The results of a bot by seat. Seats count from 0.",
    more={**OF, "lines": list[SeatTotals]},
)


@page.get("/api/bots/<bot:name>/history.csv")
@page.get("/api/bots/<bot:name>/history")
@answers(HISTORY, query=(GAME, SEATS, VERSION), rows="points")
def history(name: str, game: str | None, seats: int, version: str | None) -> dict[str, Any]:
    """The history of a bot's live Elo, with its uncertainty."""
    with sources().read() as conn:
        query = bot_query_of(conn, name, game or "", seats, version or "")
        points = rating_history.history(conn, query.game, query.version.player, seats)
    return HISTORY.tell(**_of(query), seats=seats, points=points)


@page.get("/api/bots/<bot:name>/opponents.csv")
@page.get("/api/bots/<bot:name>/opponents")
@answers(OPPONENTS, query=(GAME, SEATS, VERSION, limit(200), AFTER), rows="opponents")
def against(
    name: str, game: str | None, seats: int, version: str | None, limit: int, after: str
) -> dict[str, Any]:
    """The results of a bot against each opponent."""
    with sources().read() as conn:
        query = bot_query_of(conn, name, game or "", seats, version or "")
        lines = leaderboard.by_player(conn, query.game, seats)
        met = opponents(conn, query.game, seats, query.version.player, lines)
    some, following = page_of(met, limit, after)
    rows = [_opponent(each) for each in some]
    return OPPONENTS.tell(**_of(query), seats=seats, opponents=rows, next=following)


@page.get("/api/bots/<bot:name>/seats.csv")
@page.get("/api/bots/<bot:name>/seats")
@answers(SEAT_LINES, query=(GAME, VERSION), rows="lines")
def from_seats(name: str, game: str | None, version: str | None) -> dict[str, Any]:
    """The results of a bot by seat."""
    with sources().read() as conn:
        query = bot_query_of(conn, name, game or "", 0, version or "")
        lines = seat_totals.by_seat(conn, query.game, query.version.player)
    return SEAT_LINES.tell(**_of(query), lines=lines)


def _of(query: BotQuery) -> dict[str, str]:
    return {"bot": query.bot.name, "version": query.version.version, "game": query.game}


def _opponent(met: OpponentMet) -> dict[str, Any]:
    line = met.line
    return OPPONENT.tell(
        met.pair, other=line.bot, other_version=line.version, other_rating=line.rating
    )
