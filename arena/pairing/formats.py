"""The registry of tournament formats: a new one is a file and a line here."""

from __future__ import annotations

from arena.errors import InvalidRequest
from arena.pairing.plan import Format
from arena.pairing.round_robin import RoundRobin

FORMATS: dict[str, Format] = {"round-robin": RoundRobin()}


def format_of(name: str) -> Format:
    """The format of that name; raises InvalidRequest naming the known ones."""
    try:
        return FORMATS[name]
    except KeyError:
        known = ", ".join(FORMATS)
        raise InvalidRequest(f'There is no tournament format "{name}"; known: {known}.') from None
