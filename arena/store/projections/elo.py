"""Rating matches one after the other, and doing it all again.

A game's matches are rated one at a time in one sequence, which is stored with them; the
game's row in `rated_games` is the lock that orders its writers. Each match moves two tables:
the one of its number of seats and the one of all numbers together (seats 0).

Where the game's anchor has played in a table, Elo is counted from it (`arena.rating.elo`): it
stays at 1500, and its matches shift the zero of all others. Who does not play keeps the number
that was shown; a line takes in how far the zero has gone since with its next match, before it. So
`before` of a match need not be what the match before left, and no number ever changes that was
stored. The anchor is read under the lock under which it is changed, so that all matches of a
game are rated with one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from arena.rating.elo import START, changes, surplus, zero_factor
from arena.rating.swing import UNKNOWN, half_width, variances, zero_variance
from arena.store.bulk import write_rows
from arena.store.matches import read_columns
from arena.store.matches.model import Rated
from arena.store.matches.outcomes import MatchOutcome
from arena.store.matches.rated import otherwise
from arena.store.matches.write import mark_seats
from arena.store.projections import rating_history
from arena.store.projections.projection import Change
from arena.store.projections.rating_history import Mark
from arena.store.registry import anchors
from arena.store.registry.bots import by_players
from arena.store.tables import elo_zeros, rated_games, ratings
from arena.store.upsert import insert, upsert

OVERALL = 0


@dataclass(slots=True)
class EloLine:
    """A player's line of a rating table, and what it adds to the course of its Elo.

    Elo is counted from where the table's zero was at the player's last match, when its variance
    was `zero_variance`; `variance` is that of Elo beside it.
    """

    elo: float = START
    matches: int = 0
    wins: int = 0
    shared: int = 0
    points: int = 0
    faults: int = 0
    last_played: float = 0.0
    variance: float = UNKNOWN
    zero: float = 0.0
    zero_variance: float = 0.0
    marks: list[Mark] = field(default_factory=list, compare=False)


STORED = tuple(name for name in EloLine.__slots__ if name != "marks")
_numbers = attrgetter(*STORED)

Lines = dict[tuple[int, int], EloLine]  # by number of seats and player


@dataclass(slots=True)
class Zero:
    """How far the zero of a rating table has gone, in Elo, and the variance of what is missing."""

    shift: float = 0.0
    variance: float = UNKNOWN


FIXED = Zero(variance=0.0)  # of a table without an anchor: the mean of all Elo stays 1500


@dataclass(slots=True)
class EloTables:
    """The rating tables of a game, as far as somebody needs them: the player that is its anchor,
    lines, and by number of seats the zeros of those tables in which the anchor has played."""

    anchor: int | None = None
    lines: Lines = field(default_factory=dict)
    zeros: dict[int, Zero] = field(default_factory=dict)


def rate(conn: Connection, game: str, outcomes: Sequence[MatchOutcome]) -> list[Rated]:
    """Rates matches of one game in this order; the caller stores what is returned with them."""
    if not outcomes:
        return []
    last = lock_game(conn, game)
    seats = {OVERALL, *(len(outcome.players) for outcome in outcomes)}
    players = {player for outcome in outcomes for player in outcome.players}
    lines = load(conn, game, seats, players)
    tables = EloTables(anchors.anchor_player(conn, game), lines, load_zeros(conn, game))
    rated = [play(tables, last + 1 + index, outcome) for index, outcome in enumerate(outcomes)]
    _store(conn, game, tables, last + len(rated))
    return rated


class EloProjection:
    """The live Elo of every player, in the match's own row, in rating tables and as a history."""

    name = "elo"
    version = 2  # from 2 on it is counted from the anchor

    def apply(self, conn: Connection, change: Change) -> None:
        """Rates the matches that are due, before they are stored with what came of it."""
        rated = rate(conn, change.game, list(change.due.values()))
        change.ratings = dict(zip(change.due, rated, strict=True))

    def rebuild(self, conn: Connection, game: str) -> None:
        """Rates all matches again, in the order they had."""
        rebuild(conn, game)

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """Which matches, lines of tables and histories differ."""
        tables = EloTables(anchors.anchor_player(conn, game))
        stored = read_columns.of_game(conn, game)
        wrong = sum(map(len, otherwise(conn, stored, partial(play, tables))))
        if wrong:
            yield f"the Elo of {wrong:,} matches differs"
        yield from _wrong_lines(conn, game, tables.lines)
        if load_zeros(conn, game) != tables.zeros:
            yield "where the zero of Elo is differs"
        marks = {key: line.marks for key, line in tables.lines.items()}
        if histories := rating_history.unlike(conn, game, marks):
            yield f"{histories:,} histories of Elo differ"


def rebuild(conn: Connection, game: str) -> int:
    """Rates all rated matches of a game again, in the order they had; says how many.

    Every number comes out the same to the bit, unless the store was tampered with, the anchor is
    another one, or an older release has rated them.
    """
    last = lock_game(conn, game)
    tables = EloTables(anchors.anchor_player(conn, game))
    stored = read_columns.of_game(conn, game)
    for wrong in otherwise(conn, stored, partial(play, tables)):
        mark_seats(conn, wrong)
    conn.execute(delete(ratings).where(ratings.c.game == game))
    conn.execute(delete(elo_zeros).where(elo_zeros.c.game == game))
    rating_history.clear(conn, game)
    _store(conn, game, tables, last)
    return last


def play(tables: EloTables, sequence: int, outcome: MatchOutcome) -> Rated:
    """Lets one match move the overall table and the one of its number of seats."""
    seats = [
        (points, faults, won, won and outcome.shared)
        for points, faults, won in zip(outcome.points, outcome.faults, outcome.won, strict=True)
    ]
    moved = _move(tables, len(outcome.players), outcome, seats)
    moved = _move(tables, OVERALL, outcome, seats, moved)
    return Rated(sequence, moved.before, moved.change)


class _Moved(NamedTuple):
    """What a match does to the lines of a table, by seat; `surplus` is the anchor's."""

    before: tuple[float, ...]
    played: tuple[int, ...]
    variance: tuple[float, ...]
    change: tuple[float, ...]
    variance_after: tuple[float, ...]
    surplus: float


def _move(
    tables: EloTables,
    seats: int,
    outcome: MatchOutcome,
    counts: Sequence[tuple[int, int, bool, bool]],
    other: _Moved | None = None,
) -> _Moved:
    """Lets a match move one table; `other` is what it did to another one, and `counts` are by
    seat points, faults, whether it won, and whether that was shared."""
    anchored = tables.anchor in outcome.players
    zero = tables.zeros.setdefault(seats, Zero()) if anchored else tables.zeros.get(seats, FIXED)
    table = [_line(tables, seats, player, zero) for player in outcome.players]
    moved = _moved(table, outcome, tables.anchor if anchored else None, other)
    if anchored:
        played = moved.played[outcome.players.index(tables.anchor)]
        zero.shift -= zero_factor(played) * moved.surplus
        zero.variance = zero_variance(zero.variance, played, len(table))
    for line, change, variance, own in zip(
        table, moved.change, moved.variance_after, counts, strict=True
    ):
        _add(line, change, variance, own, outcome.finished)
    return moved


def _moved(
    table: Sequence[EloLine], outcome: MatchOutcome, anchor: int | None, other: _Moved | None
) -> _Moved:
    before = tuple([line.elo for line in table])
    played = tuple([line.matches for line in table])
    variance = tuple([line.variance for line in table])
    # Of bots that have met at tables of one size only, both tables say the same.
    if other and (before, played, variance) == other[:3]:
        return other
    change = changes(before, played, outcome.points, outcome.forfeited)
    after = variances(variance, played)
    more = 0.0
    if anchor is not None:
        seat = outcome.players.index(anchor)
        change[seat] = after[seat] = 0.0
        more = surplus(seat, before, outcome.points, outcome.forfeited)
    return _Moved(before, played, variance, tuple(change), tuple(after), more)


def _add(
    line: EloLine,
    change: float,
    variance: float,
    counts: tuple[int, int, bool, bool],
    finished: float,
) -> None:
    points, faults, won, shared = counts
    line.elo += change
    line.matches = matches = line.matches + 1
    line.points += points
    line.faults += faults
    line.variance = variance
    if won:
        line.wins += 1
        line.shared += shared
    if line.last_played < finished:
        line.last_played = finished
    if rating_history.is_marked(matches):
        half = half_width(variance + line.zero_variance)
        line.marks.append(Mark(matches, int(finished), line.elo, half))


def _line(tables: EloTables, seats: int, player: int, zero: Zero) -> EloLine:
    """A player's line, counted from where the table's zero is now."""
    line = tables.lines.get((seats, player))
    if line is None:
        line = tables.lines[seats, player] = EloLine(zero=zero.shift)
    if player != tables.anchor:
        line.elo += zero.shift - line.zero
        line.zero, line.zero_variance = zero.shift, zero.variance
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
        .add_columns(line.last_played, line.variance, line.zero, line.zero_variance)
        .where(line.game == game, line.seats.in_(tables), line.player.in_(players))
    )
    return {(seats, player): EloLine(*numbers) for seats, player, *numbers in rows}


def load_zeros(conn: Connection, game: str) -> dict[int, Zero]:
    """By number of seats the zeros of those tables of a game in which its anchor has played."""
    row = elo_zeros.c
    rows = conn.execute(select(row.seats, row.shift, row.variance).where(row.game == game))
    return {seats: Zero(shift, variance) for seats, shift, variance in rows}


def _store(conn: Connection, game: str, tables: EloTables, last: int) -> None:
    lines = tables.lines
    rows = [(game, *key, *_numbers(line)) for key, line in lines.items()]
    write_rows(conn, upsert(conn, ratings), ("game", "seats", "player", *STORED), rows)
    zeros = [(game, seats, zero.shift, zero.variance) for seats, zero in tables.zeros.items()]
    write_rows(conn, upsert(conn, elo_zeros), ("game", "seats", "shift", "variance"), zeros)
    rating_history.extend(conn, game, {key: line.marks for key, line in lines.items()})
    conn.execute(update(rated_games).where(rated_games.c.game == game).values(rated=last))


def _wrong_lines(conn: Connection, game: str, lines: Lines) -> Iterator[str]:
    """Whose line of which rating table differs."""
    keys = select(ratings.c.seats, ratings.c.player).where(ratings.c.game == game)
    everybody = {(row.seats, row.player) for row in conn.execute(keys)} | lines.keys()
    stored = load(conn, game, {key[0] for key in everybody}, {key[1] for key in everybody})
    wrong = sorted(key for key in everybody if stored.get(key) != lines.get(key))
    named = by_players(conn, {player for _, player in wrong})
    for seats, player in wrong:
        yield (
            f"the line of {named[player].name} (version {named[player].version}) differs in the "
            f"table for {f'{seats} seats' if seats else 'all seats'}"
        )
