"""Calendars in iCalendar form (RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

MIMETYPE = "text/calendar"
LINE = 75  # maximum octets in a line, without its line end


@dataclass(frozen=True)
class Event:
    """An event. `uid` never changes, `stamp` is the time of the last change.

    Times are Unix seconds. `seconds` is the duration, None if unknown.
    """

    uid: str
    stamp: float
    start: float
    title: str
    url: str
    seconds: float | None = None
    cancelled: bool = False


def document(name: str, events: Iterable[Event]) -> bytes:
    """Return a calendar file."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//lama-arena//tournaments//EN"]
    lines += ["CALSCALE:GREGORIAN", f"X-WR-CALNAME:{escaped(name)}"]
    for event in events:
        lines += _event(event)
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


def _event(event: Event) -> Iterator[str]:
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
