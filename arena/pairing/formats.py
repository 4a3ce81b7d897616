"""The registry of tournament formats: a new one is a file and a line here."""

from __future__ import annotations

from arena.errors import InvalidRequest
from arena.pairing.gauntlet import Gauntlet
from arena.pairing.knockout import Knockout
from arena.pairing.ladder import Ladder
from arena.pairing.plan import Format
from arena.pairing.round_robin import RoundRobin
from arena.pairing.sitting import Sitting
from arena.pairing.swiss import Swiss
from arena.pairing.versus import Versus

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
