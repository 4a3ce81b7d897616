"""The number of matches of a tournament, computed fast enough for a preview while typing."""

from __future__ import annotations

from arena.tournaments.formats import TournamentSpec, format_of
from arena.tournaments.formats.balanced import orbits
from arena.tournaments.formats.gauntlet import field_of
from arena.tournaments.formats.round_robin import tables_of
from arena.tournaments.formats.tables import Tables

# Bots times cycles for which finding balanced tables takes about half a second.
MOST = 1500


def count(spec: TournamentSpec) -> tuple[int, bool]:
    """Return the number of matches, and whether it is exact."""
    tables = _tables(spec)
    if tables is None or not laborious(spec):
        return format_of(spec.format).count(spec), True
    # The minimum; the exact number is rarely more than three orbits higher.
    least = orbits(tables.entrants, tables.size, tables.cycles)
    return tables.entrants * least * spec.seats, False


def laborious(spec: TournamentSpec) -> bool:
    """Whether the tables of the tournament take long to compute."""
    tables = _tables(spec)
    return tables is not None and not tables.every and tables.entrants * tables.cycles > MOST


def _tables(spec: TournamentSpec) -> Tables | None:
    """Return the tables of formats with balanced tables; for a gauntlet, without the candidate."""
    balanced = {"round-robin": tables_of, "gauntlet": field_of}.get(spec.format)
    return balanced(spec) if balanced else None
