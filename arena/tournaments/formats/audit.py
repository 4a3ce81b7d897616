"""Checks a finished tournament from what is exported of it, with no database and no server.

From the published secret everything is made again and compared: that the commitment was to it, the
schedule (who sat where, on which deal, in which order), every match id, and in each match's record
the seed, shuffles, moves and result. Formats that look at results plan from those of the export.

What cannot be checked, because nobody promised it: which bots were entered, in which order (Elo
seeding looks at ratings that are gone), and when a bot joined a ladder, which the schedule itself
tells. Nor when a bot was withdrawn: of its deals, those are not there that were not begun by then.
"""

from __future__ import annotations

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
    """Checks everything. Raises AuditError naming the first thing that differs."""
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
            f"Tournament {audit.number} is {audit.state}: its secret is shown when it is finished."
        )
    expected = commitment(bytes.fromhex(audit.secret)).hex()
    if expected != audit.commitment:
        raise AuditError(
            f"The commitment {audit.commitment} is to another secret: {expected} fits."
        )
    repeats, salt = audit.spec.repeats, audit.spec.salt
    if repeats is not None and repeatable(repeats, bytes.fromhex(salt)).hex() != audit.secret:
        salted = f" and the salt {salt}" if salt else ""
        raise AuditError(f"The secret is not the one that is made of the seed {repeats}{salted}.")


def _check_schedule(audit: Audit) -> None:
    """Plans the tournament again, block by block, from the results of the blocks before."""
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
            folded = _as_stored(format_.fold(then, so_far, played)) if played else so_far
            candidates.append((folded, format_.block(then, number, folded)))
            # A bot that joins changes the schedule from some block on; until then it is not there.
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
    """The tournament with its first bots only, as it may have been before others joined."""
    for count in range(spec.seats, len(spec.bots) + 1):
        yield replace(spec, bots=spec.bots[:count], authors=spec.authors[:count])


def _difference(
    audit: Audit, begun: Set[int], position: int, block: Sequence[PlannedMatch]
) -> str | None:
    """What differs first between a block and what was played from a position on. Of the deals
    `begun` there are matches."""
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
                f"{_names(audit, planned.seats)}, but there sat {_names(audit, played.seats)}."
            )
        if played.deal != planned.deal:
            return (
                f"Match {match.id} at position {planned.position}: the schedule has deal "
                f"{planned.deal}, not {played.deal}."
            )
    return None


def _may_be_cancelled(audit: Audit, planned: PlannedMatch) -> bool:
    """Whether somebody who was withdrawn has a seat, in a format that plays on without them."""
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
        raise AuditError(f"{name}: game or options are not those of the tournament.")
    seats = [(seat["bot"], seat["version"]) for seat in record["seats"]]
    if seats != [audit.entrants[entrant] for entrant in match.match.seats]:
        raise AuditError(f"{name}: other bots sat there than the tournament says.")
    try:
        verify(record)
    except InvalidRequest as error:
        raise AuditError(f"{name}: {error}") from None
    result = record["result"]
    forfeited = tuple(fault is not None for fault in result["faults"])
    if (tuple(result["points"]), forfeited) != (match.points, match.forfeited):
        raise AuditError(f"{name}: its result is not the one that the tournament says.")


def _as_stored(so_far: SoFar) -> SoFar:
    """As it comes back from where it is kept."""
    stored: SoFar = json.loads(json.dumps(so_far))
    return stored


def _names(audit: Audit, seats: Sequence[int]) -> str:
    return ", ".join(audit.entrants[entrant][0] for entrant in seats)
