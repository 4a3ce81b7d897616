"""The home page."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import structlog
from flask import Blueprint
from sqlalchemy import Connection, select

from arena.base import instant
from arena.base.errors import ArenaError
from arena.service.health.processes import FAILING_HOSTS
from arena.service.health.state import ArenaState
from arena.store.projections import rating_history
from arena.store.reports import leaderboard
from arena.store.tables import tournaments as rows
from arena.store.tournaments import lists, tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard.api.answer import answers
from dashboard.api.shape import Many, Shape
from dashboard.bots.index.connection import connection
from dashboard.events.topics import live_part, page_or_part
from dashboard.matches import highlights
from dashboard.matches.highlights import latest
from dashboard.matches.replay.states import State, states
from dashboard.matches.replay.view import ReplayQuery
from dashboard.matches.shown import shown
from dashboard.ratings.table.query import first_game
from dashboard.sources import sources
from dashboard.status.view import current_state
from dashboard.tournaments.detail.progress import progress, with_forecasts
from dashboard.tournaments.detail.serializers import RUNNING, serialize_running

log = structlog.get_logger(__name__)

page = Blueprint("overview", __name__)

LATEST = 6  # results
AMONG = 120  # latest matches from which highlights are chosen
HIGHLIGHTS = 3  # of each kind
TOP = 8
UNDER_WAY = 3  # tournaments shown with their progress
MOST_UNDER_WAY = 100  # in the JSON
CONNECTED = 16  # connected bots listed

OVERVIEW = Shape(
    "Overview",
    about="`connected` and `gateway` are null while connections are unknown. `running` lists at "
    f"most {MOST_UNDER_WAY} tournaments under way, and `under_way` is their number.",
    more={
        "running": Many(RUNNING),
        "under_way": int,
        "bots": int,
        "connected": int | None,
        "gateway": bool | None,
        "matches": int,
    },
)


@page.get("/", endpoint="show")
@page.get("/live", endpoint="live")
def show() -> str:
    """The page; slow parts are functions that the template may call."""
    now, part = instant.now(), live_part("home")
    arena = _state()
    return page_or_part(
        "overview",
        part=part,
        health=arena.health,
        live=arena.live,
        # A single version that a host cannot play does not concern all visitors.
        problems=any(each.about != FAILING_HOSTS for each in arena.wrong),
        featured=_featured,
        to_watch=_to_watch,
        connected=[
            (bot, link)
            for bot in arena.bots
            if (link := connection(arena.live, bot.player)).presence
        ],
        most_connected=CONNECTED,
        more=lambda: _more(now),
    )


@page.get("/api/overview")
@answers(OVERVIEW)
def as_json() -> dict[str, Any]:
    """Running tournaments, and the numbers of bots and matches."""
    now = instant.now()
    arena = _state()
    with sources().read() as conn:
        running = [progress(conn, each, now) for each in under_way(conn, MOST_UNDER_WAY)]
    return OVERVIEW.tell(
        arena.health,
        running=[serialize_running(pace) for pace in with_forecasts(running)],
        under_way=(arena.health.running or 0) + (arena.health.waiting or 0),
        gateway=arena.live.gateway if arena.live.known else None,
    )


def _state() -> ArenaState:
    """Return the state of the arena. Raises Unavailable without a database."""
    arena = current_state(bounded=False)
    if arena.error:
        raise arena.error
    return arena


def _to_watch() -> int | None:
    with sources().read() as conn:
        shown = (
            each.id
            for each in under_way(conn, UNDER_WAY)
            if each.state == "running" and not each.shares_deals
        )
        return next(shown, None)


def _featured() -> dict[str, object] | None:
    """Return the featured match, with a function that returns its final state."""
    with sources().read() as conn:
        rows = latest(conn, AMONG)
        found = highlights.featured(rows)
        if found is None:
            return None
        match, finish = found
        name = lists.names(conn, [match.tournament])[match.tournament]
    drawn = partial(_board, match.id)
    return {"match": match, "finish": finish, "tournament": name, "board": drawn}


def _board(match: str) -> tuple[State, Sequence[int], Mapping[str, str]] | None:
    """Return the final state of a match, the moves per round and its options. The match is replayed
    for this. Returns None on errors, so that the rest of the page is shown."""
    try:
        played = ReplayQuery.of(shown().match(match), None)
        lengths = played.course.lengths
        end = states(played.match, played.sheets, len(lengths), None)[-1]
    except ArenaError as error:
        log.warning("cannot show a match", match=match, error=str(error))
        return None
    return end, lengths, played.match.setup.options


def _more(now: float) -> dict[str, object]:
    with sources().read() as conn:
        game = first_game(leaderboard.games(conn))
        rows = latest(conn, AMONG)
        running = [progress(conn, each, now) for each in under_way(conn, UNDER_WAY)]
        context = {
            "game": game,
            "ratings": leaderboard.table(conn, game)[:TOP],
            "trends": rating_history.trends(conn, game),
            "latest": rows[:LATEST],
            "upsets": highlights.upsets(rows, HIGHLIGHTS),
            "closest": highlights.closest(rows, HIGHLIGHTS),
            "tournaments": tournaments.all_tournaments(conn, 5),
        }
    return {**context, "running": with_forecasts(running)}


def under_way(conn: Connection, most: int) -> list[Tournament]:
    """Return running, then waiting tournaments, each oldest first."""
    row = rows.c
    query = select(row.id).where(row.kind == "tournament", row.state.in_(["running", "waiting"]))
    return [
        tournaments.get(conn, number)
        for number in conn.scalars(query.order_by(row.state, row.id).limit(most)).all()
    ]
