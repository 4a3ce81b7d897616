"""The registry of tournament formats. Add new formats here."""

from arena.base.errors import InvalidRequest
from arena.tournaments.formats.gauntlet import Gauntlet
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.formats.ladder import Ladder
from arena.tournaments.formats.plan import NOTHING, Format, PlannedMatch, SoFar
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.swiss import Swiss
from arena.tournaments.formats.versus import Versus


class Sitting(Format):
    """A casual game: one match at one table, for games against people.

    Entrants take the seats in entry order. It has no rotations, so it is not listed as a tournament
    format.
    """

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


FORMATS: dict[str, Format] = {
    "round-robin": RoundRobin(),
    "gauntlet": Gauntlet(),
    "knockout": Knockout(),
    "swiss": Swiss(),
    "versus": Versus(),
    "ladder": Ladder(),
}
SITTING = "sitting"
_SITTING = Sitting()


def format_of(name: str) -> Format:
    """Returns the format `name`. Raises InvalidRequest that lists the known formats."""
    try:
        return _SITTING if name == SITTING else FORMATS[name]
    except KeyError:
        known = ", ".join(FORMATS)
        raise InvalidRequest(f'Unknown tournament format "{name}". Choose {known}.') from None
