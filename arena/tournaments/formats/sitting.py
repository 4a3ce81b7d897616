"""A casual game: one match at one table, for games against people.

It has no rotations, so it is not listed as a tournament format.
"""

from __future__ import annotations

from arena.base.errors import InvalidRequest
from arena.tournaments.formats.plan import NOTHING, Format, PlannedMatch, SoFar
from arena.tournaments.formats.spec import TournamentSpec


class Sitting(Format):
    """One match. Entrants take the seats in entry order."""

    title = "Table"
    about = "One match at one table."

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest unless there are as many entrants as seats."""
        if len(spec.bots) != spec.seats:
            raise InvalidRequest(f"A table of {spec.seats} seats needs {spec.seats} players.")

    def count(self, spec: TournamentSpec) -> int:
        return 1

    def cycle_length(self, spec: TournamentSpec) -> int:
        return 1

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """Returns the match in block 0."""
        return () if number else (PlannedMatch(0, 0, tuple(range(spec.seats))),)
