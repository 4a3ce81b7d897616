"""Round-robin for k seats: all sets of k of the N entrants meet equally often.

All C(N, k) tables are played if there are few. Otherwise balanced tables are played, in which all
pairs of entrants meet equally often, to within one cycle. A cycle is k matches, one for each
rotation of the seats, so that every bot plays every seat equally often. Siblings (bots of the
same owner) never meet if they are kept apart.
"""

from typing import ClassVar

from arena.tournaments.formats.cycles import DEALS
from arena.tournaments.formats.plan import NOTHING, Format, PlannedMatch, SoFar
from arena.tournaments.formats.rotations import block_of
from arena.tournaments.formats.siblings import SIBLINGS
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.tables import TABLES, Tables


class RoundRobin(Format):
    """All bots meet equally often. Each block depends on the spec alone."""

    title = "Round-robin"
    about = "Every bot meets every other bot equally often."
    options: ClassVar = {**TABLES, **SIBLINGS, **DEALS}

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest if balanced tables would take too long to find."""
        tables_of(spec).check()

    def count(self, spec: TournamentSpec) -> int:
        """C(N, k) tables times cycles times k rotations, or N tables per orbit times k."""
        return tables_of(spec).count * spec.seats

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """Returns about 512 matches, shuffled so that the rotations of a table are spread out."""
        tables = tables_of(spec)
        numbers = tables.of_block(number)
        return block_of(spec, number, numbers.start, [tables.table(cycle) for cycle in numbers])

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """Returns how often two bots meet, and how often a bot has each seat."""
        tables = tables_of(spec)
        least, most = (spec.seats * met for met in tables.meetings)
        kind = "all tables" if tables.every else "balanced tables"
        if tables.authors:
            kind, pair = f"{kind}, same-owner bots kept apart", "every other pair of bots"
        else:
            pair = "every pair of bots"
        times = "time" if tables.sittings == (1, 1) else "times"
        return (
            f"Schedule: {kind}; {pair} meets in {span(least, most)} matches, and every bot sits "
            f"{span(*tables.sittings)} {times} in each seat.",
        )


def span(least: int, most: int) -> str:
    """Formats a range, or one number if both are equal."""
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def tables_of(spec: TournamentSpec) -> Tables:
    return Tables.among(spec, range(len(spec.bots)), spec.seats)
