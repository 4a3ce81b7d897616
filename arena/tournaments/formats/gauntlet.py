"""Gauntlet: the first bot entered, the candidate, plays a field of other bots.

The candidate sits at every table. The other k - 1 seats take every subset of the field if there
are few enough, else balanced ones. Every table plays cycles of k matches, one for each rotation
of the seats. Siblings (bots of the same owner) in the field are kept apart; the candidate meets
its siblings like all other bots.
"""

from collections.abc import Iterator
from typing import ClassVar

from arena.tournaments.formats.cycles import DEALS
from arena.tournaments.formats.plan import NOTHING, Format, PlannedMatch, SoFar, seat_shares
from arena.tournaments.formats.rotations import block_of
from arena.tournaments.formats.round_robin import span
from arena.tournaments.formats.siblings import SIBLINGS, keeps_apart, listed, sentence, there_are
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.tables import TABLES, Tables


class Gauntlet(Format):
    """One candidate against a field. Each block depends on the spec alone."""

    title = "Gauntlet"
    about = "One candidate sits at every table, against a field of others."
    roles = ("Candidate",)
    options: ClassVar = {**TABLES, **SIBLINGS, **DEALS}

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest if balanced tables would take too long to find."""
        field_of(spec).check()

    def count(self, spec: TournamentSpec) -> int:
        """C(N-1, k-1) tables times cycles times k rotations, or N-1 tables per orbit times k."""
        return field_of(spec).count * spec.seats

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """Returns about 512 matches, shuffled so that the rotations of a table are spread out."""
        field = field_of(spec)
        numbers = field.of_block(number)
        tables = [[0, *(1 + other for other in field.table(cycle))] for cycle in numbers]
        return block_of(spec, number, numbers.start, tables)

    def shares(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> tuple[float, ...]:
        """The candidate sits at every table."""
        return seat_shares(spec, always={0})

    def siblings_meet(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> str:
        """The candidate may meet its siblings. The field's meet if it has too few owners."""
        if not keeps_apart(spec):
            return super().siblings_meet(spec, so_far)
        return sentence(_meet(spec))

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """Returns how often the candidate meets each bot of the field in total."""
        field = field_of(spec)
        least, most = (spec.seats * sat for sat in field.sittings)
        each = span(least, most)
        return (f"Schedule: {spec.bots[0]} meets each of the field in {each} matches.",)


def _meet(spec: TournamentSpec) -> Iterator[str]:
    """Yields the reasons for which siblings meet although they should be kept apart."""
    field = range(1, len(spec.bots))
    own = [spec.bots[other] for other in field if spec.authors[other] == spec.authors[0]]
    if own:
        yield f"{spec.bots[0]}, the candidate, meets bots of its owner: {listed(own)}"
    authors = [spec.authors[other] for other in field]
    if there_are(authors) and len(set(authors)) < spec.seats - 1:
        by = "1 owner" if len(set(authors)) == 1 else f"{len(set(authors))} owners"
        yield f"bots of the same owner meet, because the field has only {by}"


def field_of(spec: TournamentSpec) -> Tables:
    """Returns the tables of the field, without the candidate. Their entrant 0 is bot 1."""
    return Tables.among(spec, range(1, len(spec.bots)), spec.seats - 1)
