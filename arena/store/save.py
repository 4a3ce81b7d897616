"""The only way to store finished matches: each once, together with an update of all projections.
Also cancels planned matches, because others may wait for them to be rated.

The matches of a tournament are rated in scheduled order. A result that comes early is stored and
waits; the result that fills the gap rates all that are due. So ratings do not depend on how fast
matches are played. Cancelled matches are skipped.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import Connection, select, update

from arena.base.errors import NotNow
from arena.store.archive import catalogue
from arena.store.archive.catalogue import is_over
from arena.store.matches import read_columns
from arena.store.matches.matches import done_positions
from arena.store.matches.model import FaultNote, MatchOutcome, MatchResult, read_outcomes
from arena.store.matches.write import insert_matches, mark_rated, numbers_of
from arena.store.projections import ELO, PROJECTIONS, STANDINGS, Change
from arena.store.projections.elo import lock_game
from arena.store.tables import matches, tournaments
from arena.store.tournaments import withdrawals
from arena.store.tournaments.tournaments import get, lock_row

__all__ = ["FaultNote", "MatchResult", "cancel_matches", "missing", "save_results", "settled"]

LOOK_AHEAD = 1024  # positions per query


def save_results(conn: Connection, results: Iterable[MatchResult]) -> int:
    """Stores those results, by match id, that are not stored yet, and returns their number.
    Matches that were cancelled in the meantime stay cancelled.

    All projections change in the same transaction. Raises NotFound for an unknown tournament.
    """
    by_tournament: dict[int, dict[str, MatchResult]] = defaultdict(dict)
    for result in results:
        by_tournament[result.tournament].setdefault(result.id, result)
    # In order of tournament number, so that two writers do not deadlock.
    return sum(_save(conn, key, by_tournament[key]) for key in sorted(by_tournament))


def _save(conn: Connection, tournament: int, results: Mapping[str, MatchResult]) -> int:
    cursor = lock_row(conn, tournament)
    stored = numbers_of(conn, results)
    fresh = {r.position: r for key, r in results.items() if key not in stored}
    if fresh and catalogue.last_position(conn, tournament) is not None:
        fresh = _not_archived(conn, tournament, cursor, fresh)
    for position in withdrawals.among(conn, tournament, fresh):
        del fresh[position]
    if not fresh:
        return 0
    change = Change(tournament, next(iter(fresh.values())).game, fresh)
    if cursor is None:  # its matches only count in its own standings
        insert_matches(conn, fresh, {})
        for projection in STANDINGS:
            projection.apply(conn, change)
        return len(fresh)
    _apply(conn, change, cursor)
    return len(fresh)


def _not_archived(
    conn: Connection, tournament: int, cursor: int | None, fresh: Mapping[int, MatchResult]
) -> dict[int, MatchResult]:
    """Those results that are not archived. A tournament that is over takes no results any longer;
    otherwise only rated matches are archived, which are before the cursor."""
    if cursor is None or is_over(conn, tournament):
        return {}
    return {place: result for place, result in fresh.items() if place >= cursor}


def cancel_matches(conn: Connection, tournament: int, positions: Collection[int]) -> int:
    """Cancels planned matches of a rated tournament, in whole deals, when an entrant is withdrawn.
    Returns how many were not cancelled before. Matches that waited for them are rated.

    A match that was stored in the meantime stays. If it shares its deal with others, raises NotNow:
    the caller has to look again. Raises NotFound for an unknown tournament.
    """
    cursor = lock_row(conn, tournament)
    stored = _stored(conn, tournament, positions)
    row = tournaments.c
    if stored and conn.scalar(select(row.matches_per_deal).where(row.id == tournament)) != 1:
        raise NotNow(
            f"The matches cannot be cancelled. Match {min(stored)} of tournament {tournament} was "
            "stored in the meantime, so its deal is played to the end. Look again."
        )
    before = withdrawals.among(conn, tournament, positions)
    fresh = sorted(set(positions) - stored - before)
    if not fresh or cursor is None:
        return 0
    withdrawals.add_cancelled(conn, tournament, fresh)
    fewer = update(tournaments).where(row.id == tournament)
    conn.execute(fewer.values(planned=row.planned - len(fresh)))
    _apply(conn, Change(tournament, get(conn, tournament).spec.game, {}), cursor, fresh)
    return len(fresh)


def missing(conn: Connection, tournament: int, first: int, count: int) -> set[int]:
    """Those of `count` positions from `first` on that are neither stored nor cancelled. Locks the
    tournament. Raises NotFound."""
    # All matches before the cursor are rated, and may be archived.
    first, limit = max(first, lock_row(conn, tournament) or 0), first + count
    if first >= limit:
        return set()
    return {*range(first, limit)} - settled(conn, tournament, first, limit - first)


def settled(conn: Connection, tournament: int, first: int, count: int) -> set[int]:
    """Those of `count` positions from `first` on that are stored or cancelled."""
    where = conn, tournament, first, count
    return done_positions(*where) | withdrawals.cancelled(*where)


def _stored(conn: Connection, tournament: int, positions: Collection[int]) -> set[int]:
    if not positions:
        return set()
    first, last = min(positions), max(positions)
    return done_positions(conn, tournament, first, last - first + 1).intersection(positions)


def _apply(conn: Connection, change: Change, cursor: int, cancelled: Collection[int] = ()) -> None:
    """Stores new matches of a rated tournament and rates all that are due, including those that
    newly `cancelled` matches made due."""
    lock_game(conn, change.game)
    waiting = _find_due(conn, change, cursor, cancelled)
    ELO.apply(conn, change)
    if change.results:
        insert_matches(conn, change.results, change.ratings)
    mark_rated(conn, {number: change.ratings[place] for place, number in waiting.items()})
    change.deals = read_columns.newly_complete(
        conn, change.tournament, change.results, change.columns
    )
    for projection in PROJECTIONS[1:]:
        projection.apply(conn, change)


def _find_due(
    conn: Connection, change: Change, cursor: int, cancelled: Collection[int]
) -> dict[int, int]:
    """Finds the matches from the cursor on that can be rated now. Returns the numbers of those that
    were stored before, by position."""
    fresh = {*change.results, *cancelled}
    due, change.cursor = _due(conn, change.tournament, cursor, fresh)
    earlier = any(place not in change.results for place in due)
    waiting = _outcomes(conn, change.tournament, due) if earlier else {}
    change.due = {
        place: change.results[place].outcome if place in change.results else waiting[place][1]
        for place in due
    }
    return {place: waiting[place][0] for place in due if place not in change.results}


def _due(
    conn: Connection, tournament: int, cursor: int, fresh: Collection[int]
) -> tuple[list[int], int]:
    """The positions from the cursor up to the first missing match, without cancelled ones, and that
    match's position. `fresh` are new results and newly cancelled positions."""
    due: list[int] = []
    if cursor not in fresh:  # it is the missing match
        return due, cursor
    while True:
        limit = cursor + LOOK_AHEAD
        stored = done_positions(conn, tournament, cursor, LOOK_AHEAD)
        stepped_over = withdrawals.cancelled(conn, tournament, cursor, LOOK_AHEAD)
        for place in range(cursor, limit):
            if place in stepped_over:
                continue
            if place not in fresh and place not in stored:
                return due, place
            due.append(place)
        cursor = limit


def _outcomes(
    conn: Connection, tournament: int, positions: Sequence[int]
) -> dict[int, tuple[int, MatchOutcome]]:
    """By position, the stored matches with their numbers."""
    row = matches.c
    stored = (
        select(row.position.label("place"), row.number, row.finished)
        .where(row.tournament == tournament)
        .where(row.position.between(positions[0], positions[-1]))
    )
    return {place: (number, outcome) for place, number, outcome in read_outcomes(conn, stored)}
