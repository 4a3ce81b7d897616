"""One match at one table: what is played when a person sits down.

It is no format for tournaments: there is one match, without rotations, so it is not listed.
"""

from __future__ import annotations

from arena.base.errors import InvalidRequest
from arena.tournaments.formats.plan import NOTHING, Format, PlannedMatch, SoFar
from arena.tournaments.formats.spec import TournamentSpec


class Sitting(Format):
    """One match; the entrants take the seats in the order in which they were entered."""

    title = "Table"
    about = "One match at one table."

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest unless there are as many entrants as seats."""
        if len(spec.bots) != spec.seats:
            raise InvalidRequest(f"A table of {spec.seats} seats takes {spec.seats} players.")

    def count(self, spec: TournamentSpec) -> int:
        return 1

    def cycle_length(self, spec: TournamentSpec) -> int:
        return 1

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """The match, in the first block."""
        return () if number else (PlannedMatch(0, 0, tuple(range(spec.seats))),)
