"""Round-robin for k seats: every k of the N entrants meet at a table, equally often.

All C(N, k) tables play where they are few. Else there are balanced tables, in which every pair
of entrants meets equally often, give or take one cycle. A cycle is k matches, one for each
rotation of the seats, so that everybody has had every seat equally often. Siblings that are to be
kept apart meet at none of these tables.
"""

from __future__ import annotations

from typing import ClassVar

from arena.tournaments.formats.cycles import DEALS, cycles
from arena.tournaments.formats.plan import BLOCK, NOTHING, Format, PlannedMatch, SoFar
from arena.tournaments.formats.rotations import block_of
from arena.tournaments.formats.siblings import SIBLINGS, apart
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.tables import TABLES, Tables


class RoundRobin(Format):
    """Everybody against everybody, equally often; each block follows from the spec alone."""

    title = "Round-robin"
    about = "Everybody meets everybody, equally often."
    options: ClassVar = {**TABLES, **SIBLINGS, **DEALS}

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest where balanced tables would be too many to be found."""
        tables_of(spec).check()

    def count(self, spec: TournamentSpec) -> int:
        """C(N, k) tables times cycles times k rotations; or N tables for each orbit, times k."""
        return tables_of(spec).count * spec.seats

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """About 512 matches, shuffled so that the rotations of one table lie apart."""
        tables = tables_of(spec)
        per_block = max(1, BLOCK // spec.seats)
        first = number * per_block
        numbers = range(first, min(first + per_block, tables.count))
        return block_of(spec, number, first, [tables.table(cycle) for cycle in numbers])

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """How often two bots meet, and a bot has each seat, once all is played."""
        tables = tables_of(spec)
        least, most = (spec.seats * met for met in tables.meetings)
        kind = "all tables" if tables.every else "balanced tables"
        if tables.authors:
            kind, pair = f"{kind} without siblings", "every other pair of bots"
        else:
            pair = "every pair of bots"
        return (
            f"Schedule: {kind}; {pair} meets in {span(least, most)} matches, and every bot sits "
            f"{span(*tables.sittings)} times in each seat.",
        )


def span(least: int, most: int) -> str:
    """One number, or from where to where they go."""
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def tables_of(spec: TournamentSpec) -> Tables:
    """The tables of a round-robin."""
    return Tables(
        len(spec.bots),
        spec.seats,
        cycles(spec),
        spec.seed,
        spec.seats,
        spec.format_options.get("tables", "all"),
        apart(spec, range(len(spec.bots)), spec.seats),
    )
