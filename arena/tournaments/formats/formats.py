"""The registry of tournament formats. Add new formats here."""

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
SITTING = "sitting"  # for games against people only, so not listed as a tournament format
_SITTING = Sitting()


def format_of(name: str) -> Format:
    """Returns the format `name`. Raises InvalidRequest that lists the known formats."""
    try:
        return _SITTING if name == SITTING else FORMATS[name]
    except KeyError:
        known = ", ".join(FORMATS)
        raise InvalidRequest(f'Unknown tournament format "{name}". Choose {known}.') from None
