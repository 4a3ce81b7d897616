"""The schedule of a tournament as far as it is known at once: who types shall not wait."""

from __future__ import annotations

from arena.tournaments.formats import TournamentSpec, format_of
from arena.tournaments.formats.balanced import orbits
from arena.tournaments.formats.gauntlet import field_of
from arena.tournaments.formats.round_robin import tables_of
from arena.tournaments.formats.tables import Tables

# A balanced choice of tables for so many bots times cycles takes about half a second to be found.
MOST = 1500


def count(spec: TournamentSpec) -> tuple[int, bool]:
    """How many matches there are, and whether that is exact."""
    tables = _tables(spec)
    if tables is None or not laborious(spec):
        return format_of(spec.format).count(spec), True
    # The fewest; hardly ever more than three orbits are missing.
    least = orbits(tables.entrants, tables.size, tables.cycles)
    return tables.entrants * least * spec.seats, False


def laborious(spec: TournamentSpec) -> bool:
    """Whether the tables of the tournament take long to be found."""
    tables = _tables(spec)
    return tables is not None and not tables.every and tables.entrants * tables.cycles > MOST


def _tables(spec: TournamentSpec) -> Tables | None:
    """The tables of those formats in which they may be balanced: in a gauntlet, those of the
    field."""
    balanced = {"round-robin": tables_of, "gauntlet": field_of}.get(spec.format)
    return balanced(spec) if balanced else None
