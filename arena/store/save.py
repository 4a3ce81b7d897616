"""The one way in for finished matches: each stored once, projections brought up to date with it.
And for those that are cancelled, since others may have waited for them to be rated.

Within a tournament matches are rated in scheduled order: a result that comes early is stored
and waits, and the one that fills the gap rates all that have become due. So the numbers do
not depend on how fast whom played. Matches that are cancelled are stepped over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import Connection, select, update

from arena.base.errors import NotNow
from arena.store.archive import catalogue
from arena.store.archive.needed import is_over
from arena.store.matches import complete_deals
from arena.store.matches.matches import done_positions
from arena.store.matches.model import FaultNote, MatchResult
from arena.store.matches.outcomes import MatchOutcome, read
from arena.store.matches.write import insert_matches, mark_rated, numbers_of
from arena.store.projections import ELO, PROJECTIONS, STANDINGS, Change
from arena.store.projections.elo import lock_game
from arena.store.tables import matches, tournaments
from arena.store.tournaments import withdrawals
from arena.store.tournaments.tournaments import get, lock_row

__all__ = ["FaultNote", "MatchResult", "cancel_matches", "save_results"]

LOOK_AHEAD = 1024  # positions looked at together


def save_results(conn: Connection, results: Iterable[MatchResult]) -> int:
    """Stores those results that are not stored yet, by id, and says how many they were. Matches
    that were cancelled meanwhile stay so.

    All projections change in the same transaction. Raises NotFound for a tournament that does not
    exist.
    """
    by_tournament: dict[int, dict[str, MatchResult]] = defaultdict(dict)
    for result in results:
        by_tournament[result.tournament].setdefault(result.id, result)
    # In order of number, so that two writers cannot wait for each other.
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
    if cursor is None:  # its matches count in its own standings only
        insert_matches(conn, fresh, {})
        for projection in STANDINGS:
            projection.apply(conn, change)
        return len(fresh)
    _apply(conn, change, cursor)
    return len(fresh)


def _not_archived(
    conn: Connection, tournament: int, cursor: int | None, fresh: Mapping[int, MatchResult]
) -> dict[int, MatchResult]:
    """Those results that no archive has. Of a tournament that is over nothing is taken any more; of
    another one only what is rated is archived, and so before the cursor."""
    if cursor is None or is_over(conn, tournament):
        return {}
    return {place: result for place, result in fresh.items() if place >= cursor}


def cancel_matches(conn: Connection, tournament: int, positions: Collection[int]) -> int:
    """Cancels planned matches of a rated tournament, whole deals, as an entrant is withdrawn; says
    how many were not cancelled before. What waited for them to be rated is rated.

    A match that was stored meanwhile stays. Raises NotNow where it shares its deal with others: the
    caller has to look again at what is stored. Raises NotFound for a tournament that does not
    exist.
    """
    cursor = lock_row(conn, tournament)
    stored = _stored(conn, tournament, positions)
    row = tournaments.c
    if stored and conn.scalar(select(row.matches_per_deal).where(row.id == tournament)) != 1:
        raise NotNow(
            f"Match {min(stored)} of tournament {tournament} was stored meanwhile, so its deal is "
            "played to the end: look again at what there is to be played."
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


def _stored(conn: Connection, tournament: int, positions: Collection[int]) -> set[int]:
    """Which of these positions are stored."""
    if not positions:
        return set()
    first, last = min(positions), max(positions)
    return done_positions(conn, tournament, first, last - first + 1).intersection(positions)


def _apply(conn: Connection, change: Change, cursor: int, cancelled: Collection[int] = ()) -> None:
    """Stores new matches of a rated tournament and rates what is due, also because others are
    newly `cancelled`."""
    lock_game(conn, change.game)
    waiting = _find_due(conn, change, cursor, cancelled)
    ELO.apply(conn, change)
    if change.results:
        insert_matches(conn, change.results, change.ratings)
    mark_rated(conn, {number: change.ratings[place] for place, number in waiting.items()})
    change.deals = complete_deals.newly_complete(
        conn, change.tournament, change.results, change.columns
    )
    for projection in PROJECTIONS[1:]:
        projection.apply(conn, change)


def _find_due(
    conn: Connection, change: Change, cursor: int, cancelled: Collection[int]
) -> dict[int, int]:
    """Finds the matches whose turn to be rated has come, from the cursor on.

    Returns the numbers of those among them that were stored before, by position.
    """
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
    """The positions from the cursor up to the first match that is still to come, without cancelled
    ones, and that match's position. `fresh` are results and cancelled ones that are new."""
    due: list[int] = []
    if cursor not in fresh:  # it is that match
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
    """The matches stored in these positions, each with its number."""
    row = matches.c
    stored = (
        select(row.position.label("place"), row.number, row.finished)
        .where(row.tournament == tournament)
        .where(row.position.between(positions[0], positions[-1]))
    )
    return {place: (number, outcome) for place, number, outcome in read(conn, stored)}
