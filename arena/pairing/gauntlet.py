"""Gauntlet: the first bot entered, the candidate, sits at every table, against a field of others.

The k - 1 others at its table are every k - 1 of the field where these tables are few, and
balanced ones beyond. Every table plays in cycles of k matches, one for each rotation of the seats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from arena.pairing.cycles import DEALS, cycles
from arena.pairing.plan import BLOCK, NOTHING, Format, PlannedMatch, SoFar
from arena.pairing.rotations import block_of
from arena.pairing.tables import TABLES, Tables

if TYPE_CHECKING:
    from arena.pairing.spec import TournamentSpec


class Gauntlet(Format):
    """One against a field; each block follows from the spec alone."""

    options: ClassVar = {**TABLES, **DEALS}

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest where balanced tables would be too many to be found."""
        _field(spec).check()

    def count(self, spec: TournamentSpec) -> int:
        """C(N-1, k-1) tables times cycles times k rotations; or N-1 tables for each orbit, times
        k."""
        return _field(spec).count * spec.seats

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """About 512 matches, shuffled so that the rotations of one table lie apart."""
        field = _field(spec)
        per_block = max(1, BLOCK // spec.seats)
        first = number * per_block
        numbers = range(first, min(first + per_block, field.count))
        tables = [[0, *(1 + other for other in field.table(cycle))] for cycle in numbers]
        return block_of(spec, number, first, tables)

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """How often the candidate meets each of the field, once all is played."""
        field = _field(spec)
        each = field.count * (spec.seats - 1) // (len(spec.bots) - 1) * spec.seats
        return (f"Schedule: {spec.bots[0]} meets each of the field in {each:,} matches.",)


def _field(spec: TournamentSpec) -> Tables:
    return Tables(
        len(spec.bots) - 1,
        spec.seats - 1,
        cycles(spec),
        spec.seed,
        spec.seats,
        spec.format_options.get("tables", "all"),
    )
