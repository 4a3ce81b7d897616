"""The list of the matches in a file: all, a bot's matches, or matches with faults."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from dashboard.matches.shown import shown
from dashboard.replay_alone.records import RecordFile
from dashboard.urls import requested_number

PAGE = 200

# The blueprints have the names that the pages of a match link to.
first = Blueprint("overview", __name__)
page = Blueprint("matches", __name__)
bot = Blueprint("bot", __name__)


@first.get("/")
@page.get("/matches")
def show() -> str:
    """All matches, or those with faults for `?faults=1`."""
    return _listed("")


@bot.get("/bots/<path:name>", endpoint="show")
def of_bot(name: str) -> str:
    return _listed(name)


def _listed(name: str) -> str:
    source = shown()
    assert isinstance(source, RecordFile)
    after = requested_number("after", 0) or 0
    faults = bool(requested_number("faults", 0))
    rows = [
        row
        for row in source.rows
        if (not name or any(seat.bot == name for seat in row.seats))
        and (not faults or any(seat.faults for seat in row.seats))
    ]
    return render_template(
        "replay_alone/page.html",
        file=source.file.name,
        name=name,
        faults=faults,
        count=len(rows),
        after=after,
        rows=rows[after : after + PAGE],
        following=after + PAGE if after + PAGE < len(rows) else 0,
        path=request.path,
    )
