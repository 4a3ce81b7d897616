"""Calculates the luck of stored matches, a few hundred at a time, and the ratings of people.

Matches are played and rated without it, with unadjusted scores until their luck is known. The store
determines the pending matches, so a lost process, Redis or task only delays the calculation.
Results that are calculated twice are stored once (`arena.store.luck`).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, takewhile
from math import inf

import structlog
from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import ArenaError
from arena.store import Store
from arena.store import luck as lucks
from arena.store.matches import luck as match_luck
from arena.store.matches.rows import StoredMatch
from arena.store.reports import people
from arena.store.reports.match_luck import match_luck as report
from arena.store.tournaments import tournaments
from arena.tournaments.formats import format_of
from arena.tournaments.ratings.luck_units import SAMPLE, may_help
from arena.tournaments.ratings.match_luck import MatchLuck, totals

log = structlog.get_logger()

CHUNK = 512  # matches calculated together, and stored in one transaction
TOURNAMENTS = 16  # read at once
WRONG_S = 60.0  # in the future: a match that ended later was stored with a wrong clock

# For matches with the same game, seats and options: returns the name of the model and the luck of
# each match (None if its record is damaged), or None if there is no model.
Calculate = Callable[[Sequence[StoredMatch]], tuple[str, Sequence[MatchLuck | None]] | None]


def catch_up(store: Store, calculate: Calculate, until: float, finished_by: float = inf) -> bool:
    """Calculates luck until `until` (`time.monotonic`) or until no match is left. Returns whether
    there may be more. Skips matches that finished after `finished_by` (Unix seconds), but not in
    the future, by a wrong clock. Raises Unavailable."""
    while True:
        with store.read() as conn:
            waiting = lucks.pending(conn, TOURNAMENTS)
        some = False
        for tournament in waiting:
            if time.monotonic() >= until:
                return True
            some |= _next_chunk(store, calculate, tournament, finished_by)
        if not some:
            return bool(waiting)


def catch_up_with(store: Store, calculate: Calculate, tournament: int) -> None:
    """Calculates the luck of all stored matches of a tournament, for a format that plans by it."""
    while True:
        with store.read() as conn:
            if not lucks.next_matches(conn, tournament, 1):
                return
        _next_chunk(store, calculate, tournament, inf)


def _next_chunk(store: Store, calculate: Calculate, tournament: int, finished_by: float) -> bool:
    """Calculates the next matches of a tournament. Returns whether any were due."""
    skipped_until = max(finished_by, instant.now() + WRONG_S)

    def due(match: StoredMatch) -> bool:
        return not finished_by < match.finished <= skipped_until

    with store.read() as conn:
        first = lucks.next_matches(conn, tournament, 1)
        if first and not due(first[0]):
            return False
        found = lucks.next_matches(conn, tournament, CHUNK)
        stored = match_luck.known(conn, [match.number for match in found])
        helps = _helps(conn, tournament)
    if not found or not helps:
        with store.write() as conn:
            (lucks.skip_archived if helps else lucks.skip_all)(conn, tournament)
        return True
    found = list(takewhile(due, found))
    looked_at: dict[int, MatchLuck | None] = {match.number: None for match in found}
    model = ""
    fresh = [match for match in found if match.number not in stored]
    for _, alike in groupby(fresh, key=_kind):
        known = _calculated(calculate, list(alike))
        if known is not None:
            model, lucky = known
            looked_at |= lucky
    with store.write() as conn:
        if fresh and not model:
            lucks.skip_all(conn, tournament)
        else:
            lucks.save_luck(conn, tournament, looked_at, model)
    return True


def _helps(conn: Connection, tournament: int) -> bool:
    """Whether the luck adjustment may reduce the variance of a tournament's scores. Always true for
    formats that use luck to plan or to stop."""
    if lucks.progress(conn, tournament).seen < SAMPLE:
        return True
    found = tournaments.get(conn, tournament)
    if found.kind != "tournament" or format_of(found.spec.format).takes_luck_out(found.spec):
        return True
    known = report(conn, tournament)
    return may_help(known.matches, known.saved.low)


def _kind(match: StoredMatch) -> tuple[str, str, int, tuple[tuple[str, str], ...]]:
    return match.game, match.ruleset, len(match.seats), tuple(sorted(match.options.items()))


def _calculated(
    calculate: Calculate, found: Sequence[StoredMatch]
) -> tuple[str, Mapping[int, MatchLuck | None]] | None:
    """The model and the luck of matches by number. Matches with a damaged record have none."""
    try:
        known = calculate(found)
    except ArenaError as error:
        if len(found) == 1:
            log.warning("no luck can be calculated", match=found[0].id, error=str(error))
            return None
        # Search for the damaged match by bisection.
        middle = len(found) // 2
        halves = [_calculated(calculate, part) for part in (found[:middle], found[middle:])]
        some = [half for half in halves if half is not None]
        return None if not some else (some[0][0], {k: v for _, by in some for k, v in by.items()})
    if known is None:
        return None
    model, lucky = known
    numbers = [match.number for match in found]
    return model, dict(zip(numbers, lucky, strict=True))


def calculate(found: Sequence[StoredMatch]) -> tuple[str, Sequence[MatchLuck | None]] | None:
    """The version of the model, and the luck of each match (None if its log is damaged), for
    matches with the same game, seats and options. Returns None if there is no bundled model."""
    # Imported here because it loads models, which few processes need.
    from arena.value.luck import FinishedMatch, events_of, version_of

    first = found[0]
    seats, options = len(first.seats), dict(first.options)
    version = version_of(first.game, seats, options)
    if version is None:
        return None
    matches = [FinishedMatch(match.id, match.seed, match.log) for match in found]
    known = events_of(first.game, seats, matches, options, first.ruleset)
    if known is None:
        return version, [None] * len(found)
    sound, events = known
    luck = totals(seats, len(found), events.match, events.kind, events.pairs)
    return version, [each if whole else None for each, whole in zip(luck, sound, strict=True)]


def rate_people(store: Store, until: float) -> None:
    """Computes the pending ratings until `until` (`time.monotonic`). Raises Unavailable."""
    while time.monotonic() < until:
        with store.read() as conn:
            due = people.pending(conn)
        if due is None:
            return
        people.compute(store, due)
