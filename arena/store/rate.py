"""Rating matches one after the other, and doing it all again.

A game's matches are rated one at a time in one sequence, which is stored with them; the
game's row in `rated_games` is the lock that orders its writers. Each match moves two tables:
the one of its number of seats and the one of all numbers together (seats 0).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, bindparam, delete, select, update

from arena.rating.elo import START, changes
from arena.rating.swing import UNKNOWN, half_width, variances
from arena.store import courses
from arena.store.courses import Mark
from arena.store.outcomes import Outcome, read
from arena.store.tables import match_seats, matches, rated_games, ratings
from arena.store.upsert import insert, upsert

OVERALL = 0
CHUNK = 1000  # matches read at a time when all are rated again


@dataclass(frozen=True, slots=True)
class Rated:
    """A match's place in its game's sequence; by seat, Elo before it and change (overall)."""

    sequence: int
    before: tuple[float, ...]
    change: tuple[float, ...]


@dataclass(slots=True)
class Line:
    """A player's line of a rating table, and what it adds to the course of its Elo."""

    elo: float = START
    matches: int = 0
    wins: int = 0
    shared: int = 0
    points: int = 0
    faults: int = 0
    last_played: float = 0.0
    variance: float = UNKNOWN
    marks: list[Mark] = field(default_factory=list, compare=False)


STORED = tuple(name for name in Line.__slots__ if name != "marks")

Lines = dict[tuple[int, int], Line]  # by number of seats and player


def rate(conn: Connection, game: str, outcomes: Sequence[Outcome]) -> list[Rated]:
    """Rates matches of one game in this order; the caller stores what is returned with them."""
    if not outcomes:
        return []
    last = lock_game(conn, game)
    tables = {OVERALL, *(len(outcome.players) for outcome in outcomes)}
    players = {player for outcome in outcomes for player in outcome.players}
    lines = load(conn, game, tables, players)
    rated = [play(lines, last + 1 + index, outcome) for index, outcome in enumerate(outcomes)]
    _store(conn, game, lines, last + len(rated))
    return rated


def rebuild(conn: Connection, game: str) -> int:
    """Rates all rated matches of a game again, in the order they had; says how many.

    Every number comes out the same to the bit, unless the store was tampered with.
    """
    last = lock_game(conn, game)
    lines: Lines = {}
    for chunk in rated_matches(conn, game):
        again = {number: play(lines, seq, outcome) for seq, number, outcome in chunk}
        mark_seats(conn, unlike(conn, again))
    conn.execute(delete(ratings).where(ratings.c.game == game))
    courses.clear(conn, game)
    _store(conn, game, lines, last)
    return last


def play(lines: Lines, sequence: int, outcome: Outcome) -> Rated:
    """Lets one match move the overall table and the one of its number of seats."""
    _move(lines, len(outcome.players), outcome)
    before, change = _move(lines, OVERALL, outcome)
    return Rated(sequence, before, change)


def unlike(conn: Connection, rated: Mapping[int, Rated]) -> dict[int, Rated]:
    """Those of these matches, by number, that are stored with another Elo, or none."""
    seat = match_seats.c
    rows = conn.execute(
        select(seat.match, seat.elo_before, seat.elo_change)
        .where(seat.match.in_(rated))
        .order_by(seat.match, seat.seat)
    )
    kept: dict[int, list[tuple[float | None, float | None]]] = defaultdict(list)
    for match, before, change in rows:
        kept[match].append((before, change))
    return {
        number: line
        for number, line in rated.items()
        if kept[number] != list(zip(line.before, line.change, strict=True))
    }


def mark_seats(conn: Connection, rated: Mapping[int, Rated]) -> None:
    """Stores with the seats of matches, by number, what the matches did to the ratings."""
    if not rated:
        return
    conn.execute(
        update(match_seats)
        .where(match_seats.c.match == bindparam("key"), match_seats.c.seat == bindparam("place"))
        .values(elo_before=bindparam("before"), elo_change=bindparam("change")),
        [
            {"key": number, "place": seat, "before": before, "change": change}
            for number, line in rated.items()
            for seat, (before, change) in enumerate(zip(line.before, line.change, strict=True))
        ],
    )


def _move(
    lines: Lines, seats: int, outcome: Outcome
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    table = [_line(lines, seats, player) for player in outcome.players]
    before = tuple(line.elo for line in table)
    played = [line.matches for line in table]
    change = tuple(changes(before, played, outcome.points, outcome.forfeited))
    after = variances([line.variance for line in table], played)
    won = outcome.won
    for seat, line in enumerate(table):
        line.elo += change[seat]
        line.matches += 1
        line.wins += won[seat]
        line.shared += won[seat] and outcome.shared
        line.points += outcome.points[seat]
        line.faults += outcome.faults[seat]
        line.last_played = max(line.last_played, outcome.finished)
        line.variance = after[seat]
        if courses.is_marked(line.matches):
            mark = Mark(line.matches, int(outcome.finished), line.elo, half_width(line.variance))
            line.marks.append(mark)
    return before, change


def _line(lines: Lines, seats: int, player: int) -> Line:
    line = lines.get((seats, player))
    if line is None:
        line = lines[seats, player] = Line()
    return line


def lock_game(conn: Connection, game: str) -> int:
    """Waits for other writers of this game; gives the sequence of its last rated match."""
    first = {"game": game, "rated": 0}
    conn.execute(insert(conn, rated_games).values(first).on_conflict_do_nothing())
    query = select(rated_games.c.rated).where(rated_games.c.game == game)
    return int(conn.scalars(query.with_for_update()).one())


def load(conn: Connection, game: str, tables: Collection[int], players: Collection[int]) -> Lines:
    """The lines of these players in the tables for these numbers of seats, where they exist."""
    line = ratings.c
    rows = conn.execute(
        select(line.seats, line.player)
        .add_columns(line.elo, line.matches, line.wins, line.shared, line.points, line.faults)
        .add_columns(line.last_played, line.variance)
        .where(line.game == game, line.seats.in_(tables), line.player.in_(players))
    )
    return {(seats, player): Line(*numbers) for seats, player, *numbers in rows}


def _store(conn: Connection, game: str, lines: Lines, last: int) -> None:
    rows = [
        {"game": game, "seats": seats, "player": player}
        | {name: getattr(line, name) for name in STORED}
        for (seats, player), line in lines.items()
    ]
    if rows:
        conn.execute(upsert(conn, ratings), rows)
    courses.extend(conn, game, {key: line.marks for key, line in lines.items()})
    conn.execute(update(rated_games).where(rated_games.c.game == game).values(rated=last))


def rated_matches(conn: Connection, game: str) -> Iterator[list[tuple[int, int, Outcome]]]:
    """The rated matches of a game in chunks: sequence, number, outcome, in sequence."""
    last, row = 0, matches.c
    while True:
        chunk = (
            select(row.rated_seq.label("place"), row.number, row.finished)
            .where(row.game == game, row.rated_seq > last)
            .order_by(row.rated_seq)
            .limit(CHUNK)
        )
        found = list(read(conn, chunk))
        if not found:
            return
        yield found
        last = found[-1][0]
