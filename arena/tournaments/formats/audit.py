"""Audits a finished tournament from its export, without a database or server.

Everything is recomputed from the published secret and compared: the commitment, the schedule
(seats, deals, order), every match id, and the seed, shuffles, moves and result of each match
record. Formats that depend on results are replanned from the exported results.

The audit takes a few inputs as given: the list of entrants and its order (Elo seeding used
ratings that are gone), and the moment at which a bot was withdrawn. Deals of a withdrawn bot
that had not started may be missing. The moment at which a bot joined a ladder is inferred from
the schedule.
"""

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any

from arena.base.errors import InvalidRequest
from arena.games.record import verify
from arena.tournaments.formats.exported import Audit, AuditError, Listed, well_formed
from arena.tournaments.formats.formats import format_of
from arena.tournaments.formats.plan import NOTHING, PlannedMatch, SoFar
from arena.tournaments.formats.secret import commitment, repeatable
from arena.tournaments.formats.spec import TournamentSpec


def check(audit: Audit, records: Sequence[Mapping[str, Any]] = ()) -> None:
    """Runs the whole audit. Raises AuditError that names the first difference."""
    _check_secret(audit)
    _check_schedule(audit)
    for match in audit.matches.values():
        expected = audit.source.match_id(match.position)
        if match.id != expected:
            raise AuditError(
                f"Match {match.id} at position {match.position}: its id should be {expected}."
            )
    by_id = {match.id: match for match in audit.matches.values()}
    for record in records:
        well_formed("a record", partial(_check_record, audit, by_id, record))
        audit.records += 1


def _check_secret(audit: Audit) -> None:
    if not audit.secret:
        raise AuditError(
            f"Tournament {audit.number} is {audit.state}. Its secret is published when it ends."
        )
    expected = commitment(bytes.fromhex(audit.secret)).hex()
    if expected != audit.commitment:
        raise AuditError(
            f"The commitment {audit.commitment} does not match the secret, which gives {expected}."
        )
    repeats, salt = audit.spec.repeats, audit.spec.salt
    if repeats is not None and repeatable(repeats, bytes.fromhex(salt)).hex() != audit.secret:
        salted = f" and the salt {salt}" if salt else ""
        raise AuditError(f"The secret does not follow from the seed {repeats}{salted}.")


def _check_schedule(audit: Audit) -> None:
    """Replans the tournament block by block, each from the results of the earlier blocks."""
    format_ = format_of(audit.spec.format)
    spec = replace(audit.spec, seed=audit.source.schedule_seed)
    specs = [spec] if not format_.takes_new else list(_growing(spec))
    begun = {match.played.match.deal for match in audit.matches.values()}
    so_far, number, position = NOTHING, 0, 0
    block: tuple[PlannedMatch, ...] = ()
    while True:
        found = (audit.matches.get(planned.position) for planned in block)
        played = [match.played for match in found if match is not None]
        candidates: list[tuple[SoFar, tuple[PlannedMatch, ...]]] = []
        for place, then in enumerate(specs):
            folded = so_far
            if played:  # through JSON, as a server stores it
                folded = json.loads(json.dumps(format_.fold(then, so_far, played)))
            candidates.append((folded, format_.block(then, number, folded)))
            # A bot that joins changes the schedule from some block on. Earlier blocks lack it.
            if _difference(audit, begun, position, candidates[-1][1]) is None:
                specs = specs[place:]
                break
        else:
            candidates = candidates[:1]
        so_far, block = candidates[-1]
        if wrong := _difference(audit, begun, position, block):
            raise AuditError(wrong)
        if not block:
            audit.cancelled = position - len(audit.matches)
            return
        number, position = number + 1, position + len(block)


def _growing(spec: TournamentSpec) -> Iterator[TournamentSpec]:
    """Yields the spec with its first bots only, as it was before later bots joined a ladder."""
    for count in range(spec.seats, len(spec.bots) + 1):
        yield replace(spec, bots=spec.bots[:count], authors=spec.authors[:count])


def _difference(
    audit: Audit, begun: Set[int], position: int, block: Sequence[PlannedMatch]
) -> str | None:
    """Returns the first difference between a planned block and the matches played from
    `position` on, or None. Matches of the deals in `begun` may not be missing."""
    if not block and (more := sum(place >= position for place in audit.matches)):
        return f"The schedule ends after {position} matches; there are {position + more}."
    for planned in block:
        match = audit.matches.get(planned.position)
        if match is None and planned.deal not in begun and _may_be_cancelled(audit, planned):
            continue
        if match is None:
            return f"The match at position {planned.position} is missing."
        played = match.played.match
        if played.seats != planned.seats:
            return (
                f"Match {match.id} at position {planned.position}: the schedule seats "
                f"{_names(audit, planned.seats)}, but the export has {_names(audit, played.seats)}."
            )
        if played.deal != planned.deal:
            return (
                f"Match {match.id} at position {planned.position}: the schedule has deal "
                f"{planned.deal}, not {played.deal}."
            )
    return None


def _may_be_cancelled(audit: Audit, planned: PlannedMatch) -> bool:
    """Whether a withdrawn bot has a seat, in a format whose schedule ignores results."""
    without = not format_of(audit.spec.format).needs_results
    return without and not audit.withdrawn.isdisjoint(planned.seats)


def _check_record(audit: Audit, by_id: Mapping[str, Listed], record: Mapping[str, Any]) -> None:
    name = f"Record {record['id']}"
    if record["id"] not in by_id:
        raise AuditError(f"{name}: no match of the tournament has this id.")
    match = by_id[record["id"]].played
    seed = audit.source.deal_seed(match.match.deal).hex()
    if record["seed"] != seed:
        raise AuditError(f"{name}: the seed of deal {match.match.deal} should be {seed}.")
    terms = record["game"], dict(record["options"])
    if terms != (audit.spec.game, dict(audit.spec.options)):
        raise AuditError(f"{name}: game or options differ from the tournament's.")
    seats = [(seat["bot"], seat["version"]) for seat in record["seats"]]
    if seats != [audit.entrants[entrant] for entrant in match.match.seats]:
        raise AuditError(f"{name}: its bots are not the bots that the tournament lists.")
    try:
        verify(record)
    except InvalidRequest as error:
        raise AuditError(f"{name}: {error}") from None
    result = record["result"]
    forfeited = tuple(fault is not None for fault in result["faults"])
    if (tuple(result["points"]), forfeited) != (match.points, match.forfeited):
        raise AuditError(f"{name}: its result is not the result that the tournament lists.")


def _names(audit: Audit, seats: Sequence[int]) -> str:
    return ", ".join(audit.entrants[entrant][0] for entrant in seats)
