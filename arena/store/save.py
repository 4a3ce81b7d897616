"""The one way in for finished matches: each stored once, projections brought up to date with it.

Within a tournament matches are rated in scheduled order: a result that comes early is stored
and waits, and the one that fills the gap rates all that have become due. So the numbers do
not depend on how fast whom played.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select

from arena.store.matches import complete_deals
from arena.store.matches.model import FaultNote, MatchResult
from arena.store.matches.outcomes import Outcome, read
from arena.store.matches.write import insert_matches, mark_rated
from arena.store.projections import ELO, PROJECTIONS, STANDINGS, Change
from arena.store.projections.elo import lock_game
from arena.store.tables import matches
from arena.store.tournaments.tournaments import lock_row

__all__ = ["FaultNote", "MatchResult", "save_results"]

LOOK_AHEAD = 1024  # positions looked at together


def save_results(conn: Connection, results: Iterable[MatchResult]) -> int:
    """Stores those results that are not stored yet, by id, and says how many they were.

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
    stored = set(conn.scalars(select(matches.c.id).where(matches.c.id.in_(results))))
    fresh = {r.position: r for key, r in results.items() if key not in stored}
    if not fresh:
        return 0
    change = Change(tournament, next(iter(fresh.values())).game, fresh)
    if cursor is None:  # its matches count in its own standings only
        insert_matches(conn, fresh, {})
        for projection in STANDINGS:
            projection.apply(conn, change)
        return len(fresh)
    lock_game(conn, change.game)
    waiting = _find_due(conn, change, cursor)
    ELO.apply(conn, change)
    insert_matches(conn, fresh, change.ratings)
    mark_rated(conn, {number: change.ratings[place] for place, number in waiting.items()})
    touched = {result.deal for result in fresh.values()}
    change.deals = complete_deals.newly_complete(conn, tournament, touched)
    for projection in PROJECTIONS[1:]:
        projection.apply(conn, change)
    return len(fresh)


def _find_due(conn: Connection, change: Change, cursor: int) -> dict[int, int]:
    """Finds the matches whose turn to be rated has come, from the cursor on.

    Returns the numbers of those among them that were stored before, by position.
    """
    due = _due(conn, change.tournament, cursor, change.results)
    earlier = any(place not in change.results for place in due)
    waiting = _outcomes(conn, change.tournament, due) if earlier else {}
    change.cursor = cursor + len(due)
    change.due = {
        place: change.results[place].outcome if place in change.results else waiting[place][1]
        for place in due
    }
    return {place: waiting[place][0] for place in due if place not in change.results}


def _due(conn: Connection, tournament: int, cursor: int, fresh: Mapping[int, MatchResult]) -> range:
    """The positions from the cursor up to the first match that is still to come."""
    end = cursor
    if cursor not in fresh:  # it is that match
        return range(cursor, end)
    position = matches.c.position
    while True:
        limit = end + LOOK_AHEAD
        query = select(position).where(position.between(end, limit - 1))
        stored = set(conn.scalars(query.where(matches.c.tournament == tournament)))
        while end < limit and (end in fresh or end in stored):
            end += 1
        if end < limit:
            return range(cursor, end)


def _outcomes(
    conn: Connection, tournament: int, positions: range
) -> dict[int, tuple[int, Outcome]]:
    """The matches stored in these positions, each with its number."""
    row = matches.c
    stored = (
        select(row.position.label("place"), row.number, row.finished)
        .where(row.tournament == tournament)
        .where(row.position.between(positions.start, positions.stop - 1))
    )
    return {place: (number, outcome) for place, number, outcome in read(conn, stored)}
