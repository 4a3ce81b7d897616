"""A bot as JSON, and the results of one version: Elo history, opponents, seats."""

from dataclasses import asdict
from typing import Any

from arena.store.matches import matches
from arena.store.projections import latencies, rating_history, seat_totals
from arena.store.projections.latencies import Latencies
from arena.store.projections.rating_history import Point
from arena.store.projections.seat_totals import SeatTotals
from arena.store.registry import bots
from arena.store.reports import leaderboard
from arena.store.reports.faults import recent_faults
from arena.store.reports.leaderboard import Rating
from arena.store.save import FaultNote
from arena.tournaments.ratings.pairs import Pair
from dashboard.api.answer import answers, page_of
from dashboard.api.parameters import AFTER, GAME, SEATS, limit
from dashboard.api.shape import Many, Shape
from dashboard.bots.index.connection import connection
from dashboard.bots.index.view import BOT, BotRow, serialize_bot
from dashboard.bots.profile.queries import OpponentMet, lines_of, match_counts, opponents, places
from dashboard.bots.profile.query import VERSION, BotQuery, bot_query_of
from dashboard.bots.profile.replayed import SeenFault, seen_faults
from dashboard.bots.profile.view import LATEST, VERSIONS, page
from dashboard.matches.index.view import MATCH
from dashboard.matches.index.view import serialize as serialize_match
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

PLACE = Shape(
    "BotRating",
    Rating,
    about="A bot's line in a leaderboard; `seats` is 0 for all numbers of seats.",
    more={"game": str, "seats": int},
)
FAULT = Shape(
    "Fault",
    FaultNote,
    about="A fault, with the bot's hand and its legal actions. These reveal its cards, so they are"
    " hidden while the match is sealed.",
    more={
        "match": str,
        "finished": float,
        "locked": bool,
        "reason": str | None,
        "instead": str | None,
        "hand": list[str] | None,
        "offered": list[str] | None,
    },
)
ANSWERS = Shape(
    "Answers",
    Latencies,
    about="The answer times of a version of a bot in a game, in microseconds.",
    more={"game": str, "version": str},
)
A_VERSION = Shape(
    "BotVersion",
    about="A version of a bot, with its rated matches.",
    more={"version": str, "matches": int},
)
WHOLE = Shape(
    "BotWithResults",
    about="A bot with its ratings, versions (newest first), latest matches and latest faults. "
    "`matches` counts finished tournament matches over all versions and games. `rated` of them "
    "count in live Elo so far, and `elo_pending` wait for earlier matches of the schedule. The "
    "rest are only rated if a cancelled tournament is resumed. `unrated` counts tests and games "
    "against people.",
    more={
        **BOT.fields,
        "rated": int,
        "elo_pending": int,
        "unrated": int,
        "ratings": Many(PLACE),
        "versions": Many(A_VERSION),
        "answers": Many(ANSWERS),
        "latest": Many(MATCH),
        "faults": Many(FAULT),
    },
)


@page.get("/api/bots/<bot:name>")
@answers(WHOLE)
def as_json(name: str) -> dict[str, Any]:
    """A bot with its connection, ratings, versions, latest matches and latest faults."""
    with sources().read() as conn:
        bot = bots.public(conn, name)
        rows = places(conn, bot)
        latest, _ = matches.list_matches(conn, bot=bot.name, limit=LATEST)
        faults = seen_faults(conn, recent_faults(conn, bot.name, LATEST))
        every = bots.versions(conn, bot.id)
        lines = lines_of(conn, [each.player for each in every])
        counts = match_counts(conn, bot.id)
        versions = every[:VERSIONS]
        fast = latencies.of_players(conn, [each.player for each in versions])
    line = BotRow(bot, connection(sources().live([bot.player]), bot.player), counts.finished)
    return WHOLE.tell(
        counts,
        **serialize_bot(line),
        ratings=[PLACE.tell(own, game=game, seats=seats) for game, seats, _, own in rows],
        versions=[
            A_VERSION.tell(
                version=each.version,
                matches=sum(
                    ln.matches for ln in lines if ln.player == each.player and not ln.seats
                ),
            )
            for each in versions
        ],
        answers=[
            ANSWERS.tell(known, game=game, version=each.version)
            for each in versions
            for game, known in fast.get(each.player, {}).items()
        ],
        latest=[serialize_match(match) for match in latest],
        faults=[_serialize_fault(fault) for fault in faults],
    )


@page.get("/api/bots/<bot:name>/history.csv")
@page.get("/api/bots/<bot:name>/history")
@answers(HISTORY, query=(GAME, SEATS, VERSION), rows="points")
def history(name: str, **asked: Any) -> dict[str, Any]:
    """The history of a bot's live Elo, with its uncertainty."""
    with sources().read() as conn:
        query = bot_query_of(conn, name, **asked)
        points = rating_history.history(conn, query.game, query.version.player, query.seats)
    return HISTORY.tell(**_of(query), seats=query.seats, points=points)


@page.get("/api/bots/<bot:name>/opponents.csv")
@page.get("/api/bots/<bot:name>/opponents")
@answers(OPPONENTS, query=(GAME, SEATS, VERSION, limit(200), AFTER), rows="opponents")
def against(name: str, limit: int, after: str, **asked: Any) -> dict[str, Any]:
    """The results of a bot against each opponent."""
    with sources().read() as conn:
        query = bot_query_of(conn, name, **asked)
        lines = leaderboard.by_player(conn, query.game, query.seats)
        met = opponents(conn, query.game, query.seats, query.version.player, lines)
    some, following = page_of(met, limit, after)
    rows = [_opponent(each) for each in some]
    return OPPONENTS.tell(**_of(query), seats=query.seats, opponents=rows, next=following)


@page.get("/api/bots/<bot:name>/seats.csv")
@page.get("/api/bots/<bot:name>/seats")
@answers(SEAT_LINES, query=(GAME, VERSION), rows="lines")
def from_seats(name: str, **asked: Any) -> dict[str, Any]:
    """The results of a bot by seat."""
    with sources().read() as conn:
        query = bot_query_of(conn, name, **asked)
        lines = seat_totals.by_seat(conn, query.game, query.version.player)
    return SEAT_LINES.tell(**_of(query), lines=lines)


def _of(query: BotQuery) -> dict[str, str]:
    return {"bot": query.bot.name, "version": query.version.version, "game": query.game}


def _opponent(met: OpponentMet) -> dict[str, Any]:
    line = met.line
    return OPPONENT.tell(
        met.pair, other=line.bot, other_version=line.version, other_rating=line.rating
    )


def _serialize_fault(seen: SeenFault) -> dict[str, Any]:
    fault, view = seen.row, seen.view
    note = asdict(fault.note)
    if fault.locked:
        note["reason"] = note["instead"] = None
    return FAULT.tell(
        match=fault.match,
        finished=fault.finished,
        locked=fault.locked,
        **note,
        hand=None if view is None else list(view.hand),
        offered=None if view is None else list(view.actions),
    )
