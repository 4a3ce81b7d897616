"""The time at which a tournament is to begin: as people write it, and what it may be."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from arena.errors import InvalidRequest

FARTHEST_DAYS = 366
DAY_S = 86_400


def read_start(text: str) -> float:
    """A time such as 2026-12-01T18:00Z in Unix seconds; UTC unless it names another zone. Raises
    InvalidRequest."""
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise InvalidRequest(
            f"{text[:40]!r} is no start time; write it like 2026-12-01T18:00Z."
        ) from None


def check_start(at: float, now: float) -> float:
    """The same time (Unix seconds) if a tournament created now may begin then. Raises
    InvalidRequest."""
    if not math.isfinite(at):
        raise InvalidRequest("The start time is no number; give Unix seconds.")
    if at <= now:
        raise InvalidRequest(
            "The start time has passed; choose a later one in UTC, or none to begin at once."
        )
    if at > now + FARTHEST_DAYS * DAY_S:
        raise InvalidRequest(
            f"The start time is more than {FARTHEST_DAYS} days ahead; choose an earlier one."
        )
    return at
