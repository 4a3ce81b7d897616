"""How a tournament deals its cards, in sentences."""

from __future__ import annotations

from arena.pairing import TournamentSpec, format_of
from arena.pairing.cycles import shares_deals


def dealt(spec: TournamentSpec) -> str:
    """How often a table plays, and with which cards."""
    per = "in a block" if spec.format == "versus" else "for each table"
    if not shares_deals(spec):
        return f"{spec.matches:,} matches {per}, each with a deal of its own"
    each = format_of(spec.format).matches_per_deal(spec)
    trusted = "; the organiser trusts every entrant" if spec.trusted else ""
    return f"{spec.deals:,} shared deals {per}, each played {each} times{trusted}"


def rounded_up(asked: int, made: int) -> str:
    """Why there are more matches than were asked for."""
    return f"{made:,} matches, not {asked:,}: so all have every seat equally often"
