"""The export of a tournament that `arena.tournaments.formats.audit` checks."""

from collections.abc import Iterable, Iterator
from typing import Any

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.messages import read_spec
from arena.tournaments.formats.exported import FORMAT
from arena.tournaments.formats.terms import TERMS


def lines(item: pb.Tournament, matches: Iterable[pb.Match]) -> Iterator[dict[str, Any]]:
    """Yields the lines of the export as objects: the tournament, then its matches in any order."""
    entrant = {(each.bot, each.version): number for number, each in enumerate(item.entrants)}
    spec, terms = item.spec, read_spec(item.spec)
    yield {
        "format": FORMAT,
        "id": item.id,
        "name": spec.name,
        "state": item.state,
        "commitment": item.commitment,
        "secret": item.secret,
        "repeatable": item.repeatable,
        "repeats": spec.seed if item.repeatable and spec.HasField("seed") else None,
        **({"salt": spec.salt} if spec.salt else {}),
        "spec": {
            term.name: value
            for term in TERMS
            if term.exported and (value := term.of(terms)) != term.unexported
        },
        "entrants": [
            _entrant(each, called) for each, called in zip(item.entrants, spec.bots, strict=True)
        ],
    }
    for match in matches:
        yield {
            "position": match.position,
            "id": match.id,
            "deal": match.deal,
            "seats": [entrant[seat.bot, seat.version] for seat in match.seats],
            "points": [seat.points for seat in match.seats],
            "forfeited": [seat.forfeited for seat in match.seats],
        }


def _entrant(each: pb.Entrant, called: str) -> dict[str, Any]:
    author = each.author if each.HasField("author") else None
    known = {"bot": each.bot, "version": each.version, "author": author}
    known |= {"entered": called} if called != each.bot else {}
    return known | ({"withdrawn": each.withdrawn} if each.HasField("withdrawn") else {})
