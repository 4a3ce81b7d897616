"""Reads an exported tournament from JSON, for `arena.tournaments.formats.audit`."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from arena.base.errors import InvalidRequest
from arena.games.record import FORMAT as RECORD
from arena.tournaments.formats.plan import PlannedMatch, Played
from arena.tournaments.formats.secret import FromSecret
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.terms import TERMS, Term

FORMAT = "lama-arena/tournament/1"
Read = TypeVar("Read")


class AuditError(InvalidRequest):
    """The export does not match the secret. The message names the first difference."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A match of the export."""

    id: str
    played: Played

    @property
    def position(self) -> int:
        """The match's position in the schedule."""
        return self.played.match.position


@dataclass
class Audit:
    """An exported tournament, and the audit's findings."""

    number: int
    spec: TournamentSpec
    entrants: tuple[tuple[str, str], ...]  # bot and version
    state: str
    commitment: str
    secret: str
    withdrawn: frozenset[int] = frozenset()  # entrants
    cancelled: int = 0  # unplayed matches of withdrawn bots, as found by the audit
    matches: dict[int, Listed] = field(default_factory=dict)  # by position
    records: int = 0

    @property
    def source(self) -> FromSecret:
        """The secret from which all else is derived."""
        return FromSecret(bytes.fromhex(self.secret), self.number)


def read(objects: Iterable[Mapping[str, Any]]) -> tuple[Audit, list[Mapping[str, Any]]]:
    """Returns the tournament and the match records among `objects`. Raises AuditError."""
    audit: Audit | None = None
    lines: list[Mapping[str, Any]] = []
    records: list[Mapping[str, Any]] = []
    for each in objects:
        kind = each.get("format")
        if kind == RECORD:
            records.append(each)
        elif kind == FORMAT and audit is None:
            audit = well_formed("the tournament", partial(_header, each))
        elif kind == FORMAT:
            raise AuditError("The export contains two tournaments. Verify one at a time.")
        elif kind is None and "position" in each:
            lines.append(each)
        else:
            raise AuditError(f"The export contains an unknown object: {json.dumps(each)[:80]}.")
    if audit is None:
        raise AuditError(
            "The export has no tournament. Write one: arena tournament export ID --what audit."
        )
    for line in lines:
        match = well_formed("a match", partial(_match, audit, line))
        if match.position in audit.matches:
            raise AuditError(f"There are two matches at position {match.position}.")
        audit.matches[match.position] = match
    return audit, records


def _header(header: Mapping[str, Any]) -> Audit:
    terms = header["spec"]
    bots = tuple((str(each["bot"]), str(each["version"])) for each in header["entrants"])
    # Games against people have no authors.
    authors = [each.get("author") for each in header["entrants"]]
    spec = TournamentSpec(
        **{term.name: _planned(term, terms) for term in TERMS if term.exported == "planned"},
        bots=tuple(str(each.get("entered", each["bot"])) for each in header["entrants"]),
        repeats=None if header["repeats"] is None else int(header["repeats"]),
        salt=bytes.fromhex(header.get("salt", "")).hex(),
        authors=() if None in authors else tuple(map(int, authors)),
    )
    withdrawn = [each.get("withdrawn") is not None for each in header["entrants"]]
    return Audit(
        int(header["id"]),
        spec,
        bots,
        header["state"],
        header["commitment"],
        header["secret"],
        frozenset(entrant for entrant, gone in enumerate(withdrawn) if gone),
    )


def _planned(term: Term, terms: Mapping[str, Any]) -> Any:
    """The value of a term that the schedule depends on."""
    value = terms[term.name] if term.unexported == () else terms.get(term.name, term.unexported)
    return type(term.default)(value)


def _match(audit: Audit, row: Mapping[str, Any]) -> Listed:
    planned = PlannedMatch(
        int(row["position"]), int(row["deal"]), tuple(int(seat) for seat in row["seats"])
    )
    if not all(0 <= entrant < len(audit.entrants) for entrant in planned.seats):
        raise ValueError("a seat that no entrant has")
    points = tuple(int(each) for each in row["points"])
    forfeited = tuple(bool(each) for each in row["forfeited"])
    places = list(zip(forfeited, points, planned.seats, strict=True))
    ranks = tuple(1 + sum(other[:2] < mine[:2] for other in places) for mine in places)
    return Listed(str(row["id"]), Played(planned, points, ranks, forfeited))


def well_formed(what: str, read: Callable[[], Read]) -> Read:
    """Returns the value of `read`. Raises AuditError if it finds the export malformed."""
    try:
        return read()
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise AuditError(f"The export of {what} is malformed ({error!r}).") from None
