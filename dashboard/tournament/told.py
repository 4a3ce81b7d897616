"""A tournament as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from arena.store.tournaments import Tournament


def told(tournament: Tournament) -> dict[str, Any]:
    """What everybody may know of a tournament.

    All cards follow from its seed, so that is told when nothing is left to be played.
    """
    fields = asdict(tournament)
    del fields["players"], fields["waiting_since"]
    if not seed_is_open(tournament):
        del fields["spec"]["seed"]
    return fields


def seed_is_open(tournament: Tournament) -> bool:
    """Whether the seed may be shown; a cancelled tournament may yet be resumed."""
    return tournament.state == "finished"
