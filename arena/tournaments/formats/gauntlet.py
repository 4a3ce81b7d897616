"""Gauntlet: the first bot entered, the candidate, sits at every table, against a field of others.

The k - 1 others at its table are every k - 1 of the field where these tables are few, and
balanced ones beyond. Every table plays in cycles of k matches, one for each rotation of the seats.
The candidate meets its siblings like all others; those of the field are kept from each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from arena.tournaments.formats.cycles import DEALS, cycles
from arena.tournaments.formats.plan import BLOCK, NOTHING, Format, PlannedMatch, SoFar, seat_shares
from arena.tournaments.formats.rotations import block_of
from arena.tournaments.formats.round_robin import span
from arena.tournaments.formats.siblings import (
    SIBLINGS,
    apart,
    keeps_apart,
    listed,
    sentence,
    there_are,
)
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.tables import TABLES, Tables


class Gauntlet(Format):
    """One against a field; each block follows from the spec alone."""

    title = "Gauntlet"
    about = "One candidate sits at every table, against a field of others."
    roles = ("Candidate",)
    options: ClassVar = {**TABLES, **SIBLINGS, **DEALS}

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest where balanced tables would be too many to be found."""
        field_of(spec).check()

    def count(self, spec: TournamentSpec) -> int:
        """C(N-1, k-1) tables times cycles times k rotations; or N-1 tables for each orbit, times
        k."""
        return field_of(spec).count * spec.seats

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """About 512 matches, shuffled so that the rotations of one table lie apart."""
        field = field_of(spec)
        per_block = max(1, BLOCK // spec.seats)
        first = number * per_block
        numbers = range(first, min(first + per_block, field.count))
        tables = [[0, *(1 + other for other in field.table(cycle))] for cycle in numbers]
        return block_of(spec, number, first, tables)

    def shares(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> tuple[float, ...]:
        """The candidate sits at every table."""
        return seat_shares(spec, always={0})

    def siblings_meet(self, spec: TournamentSpec) -> str:
        """The candidate meets its own; the field does where it has too few authors."""
        if not keeps_apart(spec):
            return super().siblings_meet(spec)
        return sentence(_meet(spec))

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """How often the candidate meets each of the field, once all is played."""
        field = field_of(spec)
        least, most = (spec.seats * sat for sat in field.sittings)
        each = span(least, most)
        return (f"Schedule: {spec.bots[0]} meets each of the field in {each} matches.",)


def _meet(spec: TournamentSpec) -> Iterator[str]:
    """Which siblings meet although they are to be kept apart."""
    field = range(1, len(spec.bots))
    own = [spec.bots[other] for other in field if spec.authors[other] == spec.authors[0]]
    if own:
        yield f"{spec.bots[0]}, the candidate, also meets bots of its own author: {listed(own)}"
    authors = [spec.authors[other] for other in field]
    if there_are(authors) and len(set(authors)) < spec.seats - 1:
        by = "1 author" if len(set(authors)) == 1 else f"{len(set(authors))} authors"
        yield f"bots of one author meet, as all of the field are by {by}"


def field_of(spec: TournamentSpec) -> Tables:
    """The tables of the field, without the candidate: entrant 0 is the first of the field."""
    return Tables(
        len(spec.bots) - 1,
        spec.seats - 1,
        cycles(spec),
        spec.seed,
        spec.seats,
        spec.format_options.get("tables", "all"),
        apart(spec, range(1, len(spec.bots)), spec.seats - 1),
    )
