"""Rating matches one after the other, and doing it all again.

A game's matches are rated one at a time in one sequence, which is stored with them; the
game's row in `rated_games` is the lock that orders its writers. Each match moves two tables:
the one of its number of seats and the one of all numbers together (seats 0).

How a match moves a table is in `elo_tables`. The anchor is read under the lock under which it is
changed, so that all matches of a game are rated with one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from operator import attrgetter

from sqlalchemy import Connection, delete, select, update

from arena.store.bulk import write_rows
from arena.store.matches import read_columns
from arena.store.matches.model import Rated
from arena.store.matches.outcomes import MatchOutcome
from arena.store.matches.rated import otherwise
from arena.store.matches.read_columns import StoredColumns
from arena.store.matches.write import mark_seats
from arena.store.projections import rating_history
from arena.store.projections.elo_tables import OVERALL, EloLine, EloTables, Lines, Zero, play
from arena.store.projections.projection import Change
from arena.store.registry import anchors
from arena.store.registry.bots import by_players
from arena.store.tables import elo_zeros, rated_games, ratings
from arena.store.upsert import insert, upsert

STORED = tuple(each.name for each in fields(EloLine) if each.name != "marks")
_numbers = attrgetter(*STORED)
UNLIKE = (
    "the Elo of {:,} archived matches differs from what their archives have: bring their months "
    "back and rebuild to change it there"
)


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

    def rebuild(self, conn: Connection, game: str) -> Sequence[str]:
        """Rates all matches again, in the order they had."""
        _, unlike = _rebuild(conn, game)
        return [UNLIKE.format(unlike)] if unlike else []

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """Which matches, lines of tables and histories differ."""
        tables = EloTables(anchors.anchor_player(conn, game))
        stored = read_columns.of_game(conn, game)
        wrong = [
            number
            for some in otherwise(conn, game, stored, partial(play, tables))
            for number in some
        ]
        archived = len(_archived(stored, wrong))
        if len(wrong) > archived:
            yield f"the Elo of {len(wrong) - archived:,} matches differs"
        if archived:
            yield UNLIKE.format(archived)
        yield from _wrong_lines(conn, game, tables.lines)
        if load_zeros(conn, game) != tables.zeros:
            yield "where the zero of Elo is differs"
        marks = {key: line.marks for key, line in tables.lines.items()}
        if histories := rating_history.unlike(conn, game, marks):
            yield f"{histories:,} histories of Elo differ"


def rebuild(conn: Connection, game: str) -> int:
    """Rates all rated matches of a game again, in the order they had; says how many.

    Every number comes out the same to the bit, unless the store was tampered with, the anchor is
    another one, or a release that counts otherwise has rated them. Archived matches keep the Elo
    that they have.
    """
    return _rebuild(conn, game)[0]


def _rebuild(conn: Connection, game: str) -> tuple[int, int]:
    """Says how many are rated, and how many archived ones have another Elo than came out now."""
    last, unlike = lock_game(conn, game), 0
    tables = EloTables(anchors.anchor_player(conn, game))
    stored = read_columns.of_game(conn, game)
    for wrong in otherwise(conn, game, stored, partial(play, tables)):
        archived = _archived(stored, wrong)
        mark_seats(conn, {key: rated for key, rated in wrong.items() if key not in archived})
        unlike += len(archived)
    conn.execute(delete(ratings).where(ratings.c.game == game))
    conn.execute(delete(elo_zeros).where(elo_zeros.c.game == game))
    rating_history.clear(conn, game)
    _store(conn, game, tables, last)
    row = rated_games.c
    conn.execute(update(rated_games).where(row.game == game).values(rebuilt=row.rebuilt + 1))
    return last, unlike


def _archived(stored: StoredColumns, numbers: Iterable[int]) -> set[int]:
    """Those of these matches that are archived."""
    every = set(stored.numbers[stored.archived].tolist())
    return every.intersection(numbers)


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
