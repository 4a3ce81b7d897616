"""A line of the list of matches as JSON."""

from __future__ import annotations

from typing import Any

from arena.store.matches.matches import MatchRow
from dashboard.api.shape import Many, Shape

# Which matches share a deal follows from their places in the schedule, so these stay hidden.
MATCH = Shape(
    "Match",
    MatchRow,
    about="A finished match; its `deal` is published when all matches of it are played.",
    only=("id", "tournament", "game", "finished", "locked", "seats"),
    more={"deal": int | None},
)
MATCHES = Shape(
    "Matches",
    about="A page of matches, newest first or worst first; `older` is a sentence about older ones "
    "that are archived and not listed, on the last page.",
    more={"matches": Many(MATCH), "next": str, "older": str},
)


def serialize(match: MatchRow) -> dict[str, Any]:
    """What everybody may know of a match.

    Which matches share a deal is published when all of them are played.
    """
    return MATCH.tell(match, deal=None if match.locked else match.deal)
