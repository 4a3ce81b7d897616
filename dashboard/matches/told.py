"""A line of the list of matches as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from arena.store.matches import MatchRow


def told(match: MatchRow) -> dict[str, Any]:
    """What everybody may know of a match.

    Which matches share a deal is told when all of them are played.
    """
    return {
        "id": match.id,
        "tournament": match.tournament,
        "game": match.game,
        "deal": None if match.locked else match.deal,
        "finished": match.finished,
        "locked": match.locked,
        "seats": [asdict(seat) for seat in match.seats],
    }
