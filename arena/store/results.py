"""The one way in for finished matches: stored once each, counted, and rated when they are due.

Within a tournament matches are rated in scheduled order: a result that comes early is stored
and waits, and the one that fills the gap rates all that have become due. So the numbers do
not depend on how fast whom played.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, insert, select, update

from arena.rating.elo import score
from arena.store.rate import Outcome, Rated, mark_seats, rate
from arena.store.tables import entrants, fault_notes, match_seats, matches, players, tournaments
from arena.store.tournaments import lock_row

COUNTERS = ("matches", "wins", "shared", "points", "opponents", "halves", "faults", "forfeits")
LOOK_AHEAD = 256  # waiting results fetched at a time


@dataclass(frozen=True, slots=True)
class FaultNote:
    """One fault in a match: whose, at which decision, why, and what was played instead."""

    seat: int
    number: int
    kind: str
    reason: str
    instead: str


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A finished match; `players`, `points`, `ranks`, `faults`, `forfeited` are by seat.

    `faults` are counts; `log` is the packed log of `arena.record`; times are Unix seconds.
    """

    id: str
    tournament: int
    batch: int
    position: int
    deal: int
    game: str
    ruleset: str
    options: Mapping[str, str]
    seed: bytes
    players: tuple[int, ...]
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    forfeited: tuple[bool, ...]
    log: bytes
    started: float
    finished: float
    notes: tuple[FaultNote, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """What the match means for ratings."""
        return Outcome(self.players, self.points, self.ranks, self.faults, self.forfeited)


def save_results(conn: Connection, results: Iterable[MatchResult]) -> int:
    """Stores those results that are not stored yet, by id, and says how many they were.

    Counters, standings and the ratings of all matches that are due change in the same
    transaction. Raises NotFound for a tournament that does not exist.
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
    waiting = _waiting(conn, tournament, cursor, fresh)
    due = _due(cursor, fresh, waiting)
    game = next(iter(fresh.values())).game
    outcomes = [fresh[p].outcome if p in fresh else waiting[p][1] for p in due]
    rated = dict(zip(due, rate(conn, game, outcomes), strict=True))
    _insert(conn, fresh, rated)
    _mark_rated(conn, {waiting[p][0]: rated[p] for p in due if p in waiting})
    _count(conn, tournament, list(fresh.values()), cursor + len(due))
    return len(fresh)


def _due(
    cursor: int, fresh: Mapping[int, MatchResult], waiting: Mapping[int, tuple[int, Outcome]]
) -> range:
    """The positions from the cursor up to the first match that is still to come."""
    end = cursor
    while end in fresh or end in waiting:
        end += 1
    return range(cursor, end)


def _waiting(
    conn: Connection, tournament: int, cursor: int, fresh: Mapping[int, MatchResult]
) -> dict[int, tuple[int, Outcome]]:
    """The stored results that have become due, by position, each with its match's number."""
    found: dict[int, tuple[int, Outcome]] = {}
    end = cursor
    while True:
        while end in fresh:
            end += 1
        # If the match at the cursor is still to come, nothing has become due.
        run = _stored_run(conn, tournament, end) if end > cursor else []
        if not run:
            return found
        found.update(_outcomes(conn, tournament, end, end + len(run)))
        end += len(run)


def _stored_run(conn: Connection, tournament: int, start: int) -> list[int]:
    """The positions stored from `start` on without a gap, at most 256."""
    position = matches.c.position
    window = position.between(start, start + LOOK_AHEAD - 1)
    query = select(position).where(matches.c.tournament == tournament, window).order_by(position)
    found = conn.scalars(query).all()
    return [place for index, place in enumerate(found) if place == start + index]


def _outcomes(
    conn: Connection, tournament: int, start: int, end: int
) -> dict[int, tuple[int, Outcome]]:
    seat = match_seats.c
    rows = conn.execute(
        select(matches.c.position, matches.c.number)
        .add_columns(seat.player, seat.points, seat.rank, seat.faults, seat.forfeited)
        .join_from(matches, match_seats)
        .where(matches.c.tournament == tournament, matches.c.position.between(start, end - 1))
        .order_by(matches.c.position, seat.seat)
    )
    tables: dict[tuple[int, int], list[tuple[int, int, int, int, bool]]] = defaultdict(list)
    for position, number, *line in rows:
        tables[position, number].append(tuple(line))
    return {
        position: (number, Outcome(*zip(*lines, strict=True)))
        for (position, number), lines in tables.items()
    }


def _insert(conn: Connection, fresh: Mapping[int, MatchResult], rated: Mapping[int, Rated]) -> None:
    """Stores matches with their seats and faults."""
    results = [fresh[position] for position in sorted(fresh)]
    conn.execute(insert(matches), [_match_row(r, rated.get(r.position)) for r in results])
    ids = [result.id for result in results]
    numbers: dict[str, int] = dict(
        conn.execute(select(matches.c.id, matches.c.number).where(matches.c.id.in_(ids))).all()
    )
    bots = _bots(conn, {player for result in results for player in result.players})
    seats = [
        row for r in results for row in _seat_rows(r, numbers[r.id], bots, rated.get(r.position))
    ]
    conn.execute(insert(match_seats), seats)
    notes = [row for r in results for row in _note_rows(r, numbers[r.id], bots)]
    if notes:
        conn.execute(insert(fault_notes), notes)


def _bots(conn: Connection, ids: set[int]) -> dict[int, int]:
    """For each player its bot."""
    query = select(players.c.id, players.c.bot).where(players.c.id.in_(ids))
    return dict(conn.execute(query).all())


def _match_row(result: MatchResult, rated: Rated | None) -> dict[str, object]:
    return {
        "id": result.id,
        "tournament": result.tournament,
        "batch": result.batch,
        "position": result.position,
        "deal": result.deal,
        "game": result.game,
        "ruleset": result.ruleset,
        "options": json.dumps(dict(result.options), sort_keys=True),
        "seats": len(result.players),
        "seed": result.seed,
        "log": result.log,
        "started": result.started,
        "finished": result.finished,
        "rated_seq": rated.sequence if rated else None,
    }


def _seat_rows(
    result: MatchResult, number: int, bots: Mapping[int, int], rated: Rated | None
) -> list[dict[str, object]]:
    return [
        {
            "match": number,
            "seat": seat,
            "player": player,
            "bot": bots[player],
            "points": result.points[seat],
            "rank": result.ranks[seat],
            "faults": result.faults[seat],
            "forfeited": result.forfeited[seat],
            "elo_before": rated.before[seat] if rated else None,
            "elo_change": rated.change[seat] if rated else None,
        }
        for seat, player in enumerate(result.players)
    ]


def _note_rows(
    result: MatchResult, number: int, bots: Mapping[int, int]
) -> list[dict[str, object]]:
    return [
        {
            "match": number,
            "note": index,
            "seat": note.seat,
            "bot": bots[result.players[note.seat]],
            "number": note.number,
            "kind": note.kind,
            "reason": note.reason,
            "instead": note.instead,
        }
        for index, note in enumerate(result.notes)
    ]


def _mark_rated(conn: Connection, rated: Mapping[int, Rated]) -> None:
    """Notes on matches that had waited, by number, that they are rated now."""
    if not rated:
        return
    conn.execute(
        update(matches)
        .where(matches.c.number == bindparam("key"))
        .values(rated_seq=bindparam("sequence")),
        [{"key": number, "sequence": line.sequence} for number, line in rated.items()],
    )
    mark_seats(conn, rated)


def _count(conn: Connection, tournament: int, fresh: Sequence[MatchResult], cursor: int) -> None:
    """Adds the new matches to the tournament's and its entrants' counters."""
    conn.execute(
        update(tournaments)
        .where(tournaments.c.id == tournament)
        .values(played=tournaments.c.played + len(fresh), rated=cursor)
    )
    sums: dict[int, Counter[str]] = defaultdict(Counter)
    for result in fresh:
        for seat, player in enumerate(result.players):
            sums[player].update(_line(result, seat))
    columns = [column for column in entrants.c if column.name in COUNTERS]
    conn.execute(
        update(entrants)
        .where(entrants.c.tournament == tournament, entrants.c.player == bindparam("key"))
        .values({column: column + bindparam(f"add_{column.name}") for column in columns}),
        [
            {"key": player, **{f"add_{name}": counts[name] for name in COUNTERS}}
            for player, counts in sums.items()
        ],
    )


def _line(result: MatchResult, seat: int) -> dict[str, int]:
    """What one seat of one match adds to its entrant's counters."""
    places = list(zip(result.forfeited, result.points, strict=True))
    won = result.ranks[seat] == 1
    return {
        "matches": 1,
        "wins": int(won),
        "shared": int(won and result.ranks.count(1) > 1),
        "points": result.points[seat],
        "opponents": len(places) - 1,
        # A bot ties with itself, which is not counted.
        "halves": int(2 * sum(score(places[seat], other) for other in places)) - 1,
        "faults": result.faults[seat],
        "forfeits": int(result.forfeited[seat]),
    }
