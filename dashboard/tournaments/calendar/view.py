"""Start times of tournaments as calendars, the same for all users."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, Response
from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import NotFound
from arena.store.tournaments import lists, series, tournaments
from arena.store.tournaments.tournaments import Tournament
from dashboard.account.guard import limited
from dashboard.site import link
from dashboard.sources import sources
from dashboard.tournaments.detail.progress import TournamentPace, progress, with_forecasts

page = Blueprint("calendar", __name__)

Dated = tuple[list[TournamentPace], dict[int, str]]

MOST = 100
OFTEN = "30 per minute"
LASTS_S = 60
MINUTE_S = 60
CALLED_OFF_S = 7 * 86_400  # a called-off tournament is listed until this long after its start time
MIMETYPE = "text/calendar"
LINE = 75  # maximum octets in a line, without its line end
# A calendar must have a component. This one has no effect.
NO_EVENT = [
    *("BEGIN:VTIMEZONE", "TZID:UTC", "BEGIN:STANDARD", "DTSTART:19700101T000000"),
    *("TZOFFSETFROM:+0000", "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE"),
]


@page.get("/calendar.ics")
@limited(OFTEN, reading=True)
def upcoming() -> Response:
    """Scheduled tournaments, and recently called-off ones, which calendars would not notice
    if they just disappeared."""
    now = instant.now()
    with sources().read() as conn:
        shown = lists.upcoming(conn, now, MOST)
        shown += lists.called_off(conn, now - CALLED_OFF_S, MOST)
        found = _read(conn, shown, now)
    return _answer("lama-arena", found, now)


@page.get("/tournaments/<number:number>/calendar.ics")
@limited(OFTEN, reading=True)
def one(number: int) -> Response:
    """A tournament with a start time. Raises NotFound for others."""
    now = instant.now()
    with sources().read() as conn:
        tournament = tournaments.get(conn, number)
        if tournament.starts_at is None:
            raise NotFound(f"Tournament {number} has no start time, so it has no calendar entry.")
        found = _read(conn, [tournament], now)
    return _answer(tournament.spec.name, found, now)


@page.get("/series/<number:number>/calendar.ics")
@limited(OFTEN, reading=True)
def of_series(number: int) -> Response:
    """The latest tournaments of a series, and the start times of those that do not exist yet."""
    now = instant.now()
    with sources().read() as conn:
        own = series.get_series(conn, number)
        held = series.tournaments_of(conn, number)
        found = _read(conn, [each for each in held[:MOST] if each.starts_at is not None], now)
    coming = [
        Event(
            uid=_uid(number, held[-1].commitment, at),
            stamp=held[-1].created,
            start=at,
            title=own.name,
            url=link("series.show", number=number),
        )
        for at in own.dates(now)
    ]
    return _answer(own.name, found, now, coming)


def _read(conn: Connection, shown: Sequence[Tournament], now: float) -> Dated:
    """Return tournaments, and by number the UIDs of those that repeat."""
    starts = series.starts_of(conn, [each.id for each in shown])
    uids = {number: _uid(*start) for number, start in starts.items()}
    return [progress(conn, each, now) for each in shown], uids


def _uid(number: int, commitment: str, due: float) -> str:
    """Return the UID of a start of a series, which has one before its tournament exists. The
    commitment of the first tournament differs between arenas."""
    return f"series-{number}-{commitment[:16]}-{due:.0f}@lama-arena"


def _answer(name: str, found: Dated, now: float, coming: Sequence[Event] = ()) -> Response:
    paces, uids = found
    events = [*(_event(pace, uids, now) for pace in with_forecasts(paces)), *coming]
    response = Response(document(name, events), mimetype=MIMETYPE)
    response.cache_control.public = True
    response.cache_control.max_age = LASTS_S
    return response


def _event(pace: TournamentPace, uids: Mapping[int, str], now: float) -> Event:
    tournament, seconds = pace.tournament, pace.forecast.seconds if pace.forecast else None
    own = f"tournament-{tournament.id}-{tournament.commitment[:16]}@lama-arena"
    # Not the time of the request, which would defeat caching.
    times = (tournament.waiting_since, tournament.started or 0.0, tournament.finished or 0.0)
    return Event(
        uid=uids.get(tournament.id, own),
        stamp=max(tournament.created, *times),
        start=tournament.starts_at or tournament.created,
        title=tournament.spec.name,
        url=link("tournament.show", number=tournament.id),
        seconds=_to_the_minute(seconds) if tournament.scheduled(now) else None,
        cancelled=tournament.state == "cancelled",
    )


def _to_the_minute(seconds: float | None) -> float | None:
    return None if seconds is None else math.ceil(seconds / MINUTE_S) * MINUTE_S


@dataclass(frozen=True)
class Event:
    """An event. `uid` never changes, `stamp` is the time of the last change. Times are Unix
    seconds. `seconds` is the duration, None if unknown."""

    uid: str
    stamp: float
    start: float
    title: str
    url: str
    seconds: float | None = None
    cancelled: bool = False


def document(name: str, events: Iterable[Event]) -> bytes:
    """Return a calendar file in iCalendar form (RFC 5545)."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//lama-arena//tournaments//EN"]
    lines += ["CALSCALE:GREGORIAN", f"X-WR-CALNAME:{escaped(name)}"]
    shown = [line for event in events for line in _lines_of(event)]
    lines += shown or NO_EVENT
    lines.append("END:VCALENDAR")
    return b"".join(folded(line) for line in lines)


def escaped(text: str) -> str:
    """Return a text as a property value, without control characters."""
    for mark in "\\;,":
        text = text.replace(mark, f"\\{mark}")
    text = text.replace("\r\n", "\n").replace("\n", "\\n")
    return "".join(each for each in text if each >= " " and each != "\x7f")


def folded(line: str) -> bytes:
    """Return a line with its line end, folded between characters."""
    pieces, piece, room = [], b"", LINE
    for character in line:
        octets = character.encode()
        if len(piece) + len(octets) > room:
            pieces.append(piece)
            piece, room = b"", LINE - 1  # continuation lines start with a space
        piece += octets
    return b"\r\n ".join([*pieces, piece]) + b"\r\n"


def _lines_of(event: Event) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:{event.uid}"
    yield f"DTSTAMP:{_utc(event.stamp)}"
    yield f"DTSTART:{_utc(event.start)}"
    if event.seconds is not None:
        yield f"DURATION:PT{max(1, round(event.seconds))}S"
    yield f"SUMMARY:{escaped(event.title)}"
    yield f"URL:{event.url}"
    yield f"STATUS:{'CANCELLED' if event.cancelled else 'CONFIRMED'}"
    yield "END:VEVENT"


def _utc(unix: float) -> str:
    return f"{datetime.fromtimestamp(unix, UTC):%Y%m%dT%H%M%SZ}"
