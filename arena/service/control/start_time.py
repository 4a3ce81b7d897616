"""The time at which a tournament is to begin: as people write it, and what it may be."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, available_timezones

from arena.base.errors import InvalidRequest

FARTHEST_DAYS = 366
DAY_S = 86_400
EXAMPLES = '"2026-12-01T18:00Z" or "2026-12-01T18:00 Europe/Berlin"'
# A time and, after a space or in brackets (RFC 9557), the name of its zone.
ZONED = re.compile(r"(?P<time>.*\d)(?: +|\[)(?P<zone>[A-Za-z][\w/+-]*)\]?", re.ASCII)


def read_start(text: str) -> float:
    """A time such as 2026-12-01T18:00Z in Unix seconds; UTC unless it has an offset or the name of
    a zone. Raises InvalidRequest."""
    zoned = ZONED.fullmatch(text.strip())
    try:
        moment = datetime.fromisoformat(zoned["time"] if zoned else text.strip())
        if zoned:
            moment = _in_zone(moment, zoned["zone"])
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise InvalidRequest(
            f'"{text[:40]}" is not a start time. Write it like {EXAMPLES}.'
        ) from None


def _in_zone(moment: datetime, name: str) -> datetime:
    """That local time in the zone. Raises InvalidRequest for a time with an offset as well, and for
    one that a change of the clocks skips or repeats."""
    if moment.tzinfo:
        raise InvalidRequest(f"The start time has an offset and a zone: leave out {name}.")
    first, second = (moment.replace(tzinfo=_zone(name), fold=fold) for fold in (0, 1))
    if first.utcoffset() != second.utcoffset():
        raise InvalidRequest(
            f"The clocks change in {name} at that time. Write its offset from UTC, as in "
            f"{first.isoformat(timespec='minutes')}."
        )
    return first


def _zone(name: str) -> tzinfo:
    """The zone of that name, in any case. Raises InvalidRequest."""
    known = {each.lower(): each for each in available_timezones()}
    if not known:
        raise InvalidRequest(
            f"This system has no time zone data, so {name} is unknown. Install the package tzdata,"
            " or write the offset from UTC, as in 2026-12-01T18:00+01:00."
        )
    if name.lower() not in known:
        raise InvalidRequest(f'"{name[:40]}" is not a time zone. Write it like Europe/Berlin.')
    return ZoneInfo(known[name.lower()])


def check_start(at: float, now: float) -> float:
    """The same time (Unix seconds) if a tournament created now may begin then. Raises
    InvalidRequest."""
    if not math.isfinite(at):
        raise InvalidRequest("The start time is not a number. Give Unix seconds.")
    if at <= now:
        raise InvalidRequest(
            "The start time has passed; choose a later one in UTC, or none to begin at once."
        )
    if at > now + FARTHEST_DAYS * DAY_S:
        raise InvalidRequest(
            f"The start time is more than {FARTHEST_DAYS} days ahead; choose an earlier one."
        )
    return at
