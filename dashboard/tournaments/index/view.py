"""The list of tournaments, newest first."""

from typing import Any

from flask import Blueprint

from arena.base import instant
from arena.store.reports.standings import winners
from arena.store.tournaments import lists, series, tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard.api.answer import answers
from dashboard.api.parameters import AFTER, limit
from dashboard.events.topics import live_part, page_or_part
from dashboard.sources import sources
from dashboard.tournaments.detail.progress import in_queue
from dashboard.tournaments.detail.serializers import TOURNAMENTS, serialize
from dashboard.urls import requested_number

page = Blueprint("tournaments", __name__)

PAGE = 30
COMING = 10


@page.get("/tournaments", endpoint="show")
@page.get("/tournaments/live", endpoint="live")
def show() -> str:
    part = live_part("tournaments")
    before = requested_number("before", None)
    rows, older = _older(before, PAGE)
    with sources().read() as conn:
        won = winners(conn, rows)
        coming = [] if before is not None else lists.upcoming(conn, instant.now(), COMING)
        repeated = series.under_way(conn, COMING) if coming else []
    return page_or_part(
        "tournaments/index",
        part=part,
        tournaments=rows,
        older=older,
        winners=won,
        queued=in_queue(rows),
        coming=coming,
        series=repeated,
    )


@page.get("/api/tournaments.csv")
@page.get("/api/tournaments")
@answers(TOURNAMENTS, query=(limit(PAGE), AFTER), rows="tournaments")
def as_json(limit: int, after: str) -> dict[str, Any]:
    """Tournaments, newest first, each with its seed once it is finished."""
    rows, older = _older(int(after) if after else None, limit)
    following = "" if older is None else str(older)
    return TOURNAMENTS.tell(tournaments=[serialize(each) for each in rows], next=following)


def _older(before: int | None, limit: int) -> tuple[list[Tournament], int | None]:
    """Return a page of tournaments, and the `before` of the next page."""
    with sources().read() as conn:
        rows = tournaments.all_tournaments(conn, limit + 1, before)
    newest = rows[:limit]
    return newest, newest[-1].id if len(rows) > limit else None
