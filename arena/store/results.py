"""The one way in for finished matches: stored once each, counted, and rated when they are due.

Within a tournament matches are rated in scheduled order: a result that comes early is stored
and waits, and the one that fills the gap rates all that have become due. So the numbers do
not depend on how fast whom played.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select

from arena.store import luck, tallies, whole_deals
from arena.store.counters import count
from arena.store.deals import count_deals
from arena.store.match_result import FaultNote, MatchResult
from arena.store.outcomes import Outcome, read
from arena.store.rate import rate
from arena.store.rows import insert_matches, mark_rated
from arena.store.tables import matches
from arena.store.tournaments import lock_row

__all__ = ["FaultNote", "MatchResult", "save_results"]

LOOK_AHEAD = 1024  # positions looked at together


def save_results(conn: Connection, results: Iterable[MatchResult]) -> int:
    """Stores those results that are not stored yet, by id, and says how many they were.

    Counters, standings, the live Elo of all matches that are due and the sums of all deals
    that are whole now change in the same transaction. Raises NotFound for a tournament
    that does not exist.
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
    ended = {position: result.outcome for position, result in fresh.items()}
    if cursor is None:  # its matches count in its own standings only
        insert_matches(conn, fresh, {})
        count(conn, tournament, ended.values(), 0)
        return len(fresh)
    due = _due(conn, tournament, cursor, fresh)
    waiting = _outcomes(conn, tournament, due) if any(p not in fresh for p in due) else {}
    game = next(iter(fresh.values())).game
    outcomes = [ended[p] if p in ended else waiting[p][1] for p in due]
    rated = dict(zip(due, rate(conn, game, outcomes), strict=True))
    insert_matches(conn, fresh, rated)
    mark_rated(conn, {waiting[p][0]: rated[p] for p in due if p in waiting})
    count(conn, tournament, ended.values(), cursor + len(due))
    tallies.count(conn, game, [(ended[p], result.latencies) for p, result in fresh.items()])
    whole = whole_deals.completed(conn, tournament, {result.deal for result in fresh.values()})
    count_deals(conn, game, whole)
    luck.count(conn, tournament, whole)
    return len(fresh)


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
