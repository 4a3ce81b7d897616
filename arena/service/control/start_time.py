"""Reads and checks the start time of a tournament."""

import math
import re
from datetime import UTC, datetime

from arena.base.errors import InvalidRequest
from arena.tournaments.formats.series import zone

FARTHEST_DAYS = 366
DAY_S = 86_400
EXAMPLES = '"2026-12-01T18:00Z" or "2026-12-01T18:00 Europe/Berlin"'
# A time and, after a space or in brackets (RFC 9557), the name of its zone.
ZONED = re.compile(r"(?P<time>.*\d)(?: +|\[)(?P<zone>[A-Za-z][\w/+-]*)\]?", re.ASCII)


def read_start(text: str) -> float:
    """Parses a time such as 2026-12-01T18:00Z. Returns Unix seconds. Without an offset or the name
    of a zone it is in UTC. Raises InvalidRequest."""
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


def zone_of(text: str) -> str:
    """The name of the zone in the text of a start time, "" without one."""
    zoned = ZONED.fullmatch(text.strip())
    return zoned["zone"] if zoned else ""


def _in_zone(moment: datetime, name: str) -> datetime:
    """The local time in a zone. Raises InvalidRequest if it has another offset, or if it has none
    and a clock change skips or repeats it."""
    if moment.tzinfo:
        if moment.astimezone(zone(name)).utcoffset() != moment.utcoffset():
            raise InvalidRequest(
                f"The start time has another offset than {name} has then. Remove one of them."
            )
        return moment
    first, second = (moment.replace(tzinfo=zone(name), fold=fold) for fold in (0, 1))
    if first.utcoffset() != second.utcoffset():
        raise InvalidRequest(
            f"The clocks change in {name} at that time. Add the offset from UTC, as in "
            f"{first.astimezone(UTC).astimezone(zone(name)).isoformat(timespec='minutes')}[{name}]."
        )
    return first


def check_start(at: float, now: float) -> float:
    """Returns the time `at` (Unix seconds) if a tournament created now may start then. Raises
    InvalidRequest."""
    if not math.isfinite(at):
        raise InvalidRequest("The start time is not a number. Give Unix seconds.")
    if at <= now:
        raise InvalidRequest(
            "The start time is in the past. Choose a later one (in UTC), or none to start at once."
        )
    if at > now + FARTHEST_DAYS * DAY_S:
        raise InvalidRequest(
            f"The start time is more than {FARTHEST_DAYS} days ahead. Choose an earlier one."
        )
    return at
