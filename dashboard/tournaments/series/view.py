"""A series of tournaments, with the season's standings."""

from typing import Any

from flask import Blueprint, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from arena.base import instant
from arena.protocol.v1 import control_pb2 as pb
from arena.store.reports.standings import season_of, winners
from arena.store.tournaments import series
from dashboard.account.rights import organiser
from dashboard.api.answer import answers, page_of
from dashboard.api.parameters import AFTER, limit
from dashboard.api.shape import Many, Shape
from dashboard.sources import sources

page = Blueprint("series", __name__)

LINE = Shape(
    "SeasonLine",
    about="A bot's season: its points, the tournaments it played and how many of them count.",
    more={"rank": int, "bot": str, "points": float, "tournaments": int, "counted": int},
)
SERIES = Shape(
    "Series",
    about="A series of tournaments (numbers, newest first), the Unix times at which further ones "
    "start, and the standings of the season.",
    more={
        "id": int,
        "name": str,
        "recurrence": str,
        "tournaments": list[int],
        "starts": list[float],
        "standings": Many(LINE),
        "next": str,
    },
)
COLUMNS = 8  # the latest tournaments, as columns of the standings
LATEST = 50  # tournaments in the list
DATES = 5  # shown of the tournaments to come


@page.get("/series/<number:number>")
def show(number: int) -> str:
    now = instant.now()
    with sources().read() as conn:
        own = series.get_series(conn, number)
        held = series.tournaments_of(conn, number)
        standings = season_of(conn, held, own.recurrence.counted)
        past = [each for each in held if not each.open(now)][:LATEST]
        won = winners(conn, past)
    counting = [each for each in held if any(each.id in line.results for line in standings)]
    coming = own.dates(now)
    return render_template(
        "tournaments/series/page.html",
        series=own,
        sentence=own.recurrence.sentence(own.begins),
        open_ones=[each for each in held if each.open(now)],
        coming=coming[:DATES],
        more=len(coming[DATES:]),
        held=past,
        winners=won,
        standings=standings,
        columns=counting[:COLUMNS][::-1],
    )


@page.post("/series/<number:number>/end")
@organiser
def end(number: int) -> ResponseReturnValue:
    sources().control.end_series(pb.SeriesId(id=number))
    return redirect(url_for("series.show", number=number), 303)


@page.get("/api/series/<number:number>.csv")
@page.get("/api/series/<number:number>")
@answers(SERIES, query=(limit(200), AFTER), rows="standings")
def as_json(number: int, limit: int, after: str) -> dict[str, Any]:
    """A series of tournaments with the standings of its season, best first."""
    found = sources().control.get_series(pb.SeriesId(id=number))
    lines = [
        LINE.tell(
            rank=rank,
            bot=line.bot,
            points=line.points,
            tournaments=len(line.results),
            counted=len(line.counted),
        )
        for rank, line in enumerate(found.standings, 1)
    ]
    shown, following = page_of(lines, limit, after)
    return SERIES.tell(
        id=found.id,
        name=found.name,
        recurrence=found.sentence,
        tournaments=list(found.tournaments),
        starts=list(found.starts),
        standings=shown,
        next=following,
    )
