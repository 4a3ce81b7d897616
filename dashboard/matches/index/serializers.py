"""The list of matches as JSON."""

from __future__ import annotations

from typing import Any

from arena.store.matches.matches import MatchRow
from dashboard.api.shape import Many, Shape

# Positions in the schedule would reveal which matches share a deal, so they stay hidden.
MATCH = Shape(
    "Match",
    MatchRow,
    about="A finished match. Its `deal` is null until all matches of the deal are played.",
    only=("id", "tournament", "game", "finished", "locked", "seats"),
    more={"deal": int | None},
)
MATCHES = Shape(
    "Matches",
    about="A page of matches, newest first or worst first. On the last page, `older` is a sentence "
    "about archived matches, which are not listed.",
    more={"matches": Many(MATCH), "next": str, "older": str},
)


def serialize(match: MatchRow) -> dict[str, Any]:
    """Return the public data of a match, with its deal once all matches of the deal are played."""
    return MATCH.tell(match, deal=None if match.locked else match.deal)
