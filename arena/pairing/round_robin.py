"""Round-robin for k seats: every k of the N entrants meet at a table, equally often.

All C(N, k) tables play where they are few. Else there are balanced tables, in which every pair
of entrants meets equally often, give or take one cycle. A cycle is k matches, one for each
rotation of the seats, so that everybody has had every seat equally often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from arena.pairing.cycles import DEALS, cycles
from arena.pairing.plan import BLOCK, NOTHING, Format, PlannedMatch, SoFar
from arena.pairing.rotations import block_of
from arena.pairing.tables import TABLES, Tables

if TYPE_CHECKING:
    from arena.pairing.spec import TournamentSpec


class RoundRobin(Format):
    """Everybody against everybody, equally often; each block follows from the spec alone."""

    options: ClassVar = {**TABLES, **DEALS}

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest where balanced tables would be too many to be found."""
        _tables(spec).check()

    def count(self, spec: TournamentSpec) -> int:
        """C(N, k) tables times cycles times k rotations; or N tables for each orbit, times k."""
        return _tables(spec).count * spec.seats

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """About 512 matches, shuffled so that the rotations of one table lie apart."""
        tables = _tables(spec)
        per_block = max(1, BLOCK // spec.seats)
        first = number * per_block
        numbers = range(first, min(first + per_block, tables.count))
        return block_of(spec, number, first, [tables.table(cycle) for cycle in numbers])

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """How often two bots meet, and a bot has each seat, once all is played."""
        tables = _tables(spec)
        least, most = (spec.seats * met for met in tables.meetings)
        each = tables.count * spec.seats // len(spec.bots)
        kind = "all tables" if tables.every else "balanced tables"
        pairs = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        return (
            f"Schedule: {kind}; every pair of bots meets in {pairs} matches, and every bot sits "
            f"{each:,} times in each seat.",
        )


def _tables(spec: TournamentSpec) -> Tables:
    return Tables(
        len(spec.bots),
        spec.seats,
        cycles(spec),
        spec.seed,
        spec.seats,
        spec.format_options.get("tables", "all"),
    )
