"""The registry of tournament formats: a new one is a file and a line here."""

from __future__ import annotations

from arena.base.errors import InvalidRequest
from arena.tournaments.formats.gauntlet import Gauntlet
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.formats.ladder import Ladder
from arena.tournaments.formats.plan import Format
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.formats.sitting import Sitting
from arena.tournaments.formats.swiss import Swiss
from arena.tournaments.formats.versus import Versus

FORMATS: dict[str, Format] = {
    "round-robin": RoundRobin(),
    "gauntlet": Gauntlet(),
    "knockout": Knockout(),
    "swiss": Swiss(),
    "versus": Versus(),
    "ladder": Ladder(),
}
SITTING = "sitting"  # not for tournaments, so not among them
_SITTING = Sitting()


def format_of(name: str) -> Format:
    """The format of that name; raises InvalidRequest naming the known ones."""
    try:
        return _SITTING if name == SITTING else FORMATS[name]
    except KeyError:
        known = ", ".join(FORMATS)
        raise InvalidRequest(f'There is no tournament format "{name}"; known: {known}.') from None
