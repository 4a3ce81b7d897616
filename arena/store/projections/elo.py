"""Rates matches one at a time, and rates all of them again.

A game's matches are rated in one sequence, which is stored with them. The game's row in
`rated_games` is the lock for rating. Each match changes two leaderboards: the one of its number of
seats, and the overall one (seats 0).

`elo_tables` has the arithmetic. The anchor is read under the lock for changing it, so all matches
of a game are rated with the same one.
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
    "the Elo of {:,} archived matches differs from their archives: restore their months and "
    "rebuild to change it there"
)


def rate(conn: Connection, game: str, outcomes: Sequence[MatchOutcome]) -> list[Rated]:
    """Rates matches of one game in this order; the caller stores the returned Elo with them."""
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
    """The live Elo of every player: in each match, in leaderboards and as a history."""

    name = "elo"
    version = 2  # since 2 relative to the anchor

    def apply(self, conn: Connection, change: Change) -> None:
        """Rates the matches that are due; they are stored afterwards, with their Elo."""
        rated = rate(conn, change.game, list(change.due.values()))
        change.ratings = dict(zip(change.due, rated, strict=True))

    def rebuild(self, conn: Connection, game: str) -> Sequence[str]:
        """Rates all matches again, in the same order."""
        _, unlike = _rebuild(conn, game)
        return [UNLIKE.format(unlike)] if unlike else []

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """Yields the numbers of wrong matches, leaderboard lines and histories."""
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
            yield "the reference point of Elo differs"
        marks = {key: line.marks for key, line in tables.lines.items()}
        if histories := rating_history.unlike(conn, game, marks):
            yield f"{histories:,} Elo histories differ"


def rebuild(conn: Connection, game: str) -> int:
    """Rates all rated matches of a game again, in the same order. Returns their number.

    Every number is the same to the bit, unless the store was tampered with, the anchor has changed,
    or a release with different rules has rated the matches. Archived matches keep their Elo.
    """
    return _rebuild(conn, game)[0]


def _rebuild(conn: Connection, game: str) -> tuple[int, int]:
    """Returns the numbers of rated matches and of archived matches whose Elo differs."""
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
    """The archived ones of these matches."""
    every = set(stored.numbers[stored.archived].tolist())
    return every.intersection(numbers)


def lock_game(conn: Connection, game: str) -> int:
    """Takes the lock for rating a game; returns the sequence of its last rated match."""
    first = {"game": game, "rated": 0}
    conn.execute(insert(conn, rated_games).values(first).on_conflict_do_nothing())
    query = select(rated_games.c.rated).where(rated_games.c.game == game)
    return int(conn.scalars(query.with_for_update()).one())


def load(conn: Connection, game: str, tables: Collection[int], players: Collection[int]) -> Lines:
    """The lines of these players in the leaderboards of these numbers of seats."""
    line = ratings.c
    rows = conn.execute(
        select(line.seats, line.player)
        .add_columns(line.elo, line.matches, line.wins, line.shared, line.points, line.faults)
        .add_columns(line.last_played, line.variance, line.zero, line.zero_variance)
        .where(line.game == game, line.seats.in_(tables), line.player.in_(players))
    )
    return {(seats, player): EloLine(*numbers) for seats, player, *numbers in rows}


def load_zeros(conn: Connection, game: str) -> dict[int, Zero]:
    """By number of seats, the reference points of the leaderboards with matches of the anchor."""
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
    """Yields the wrong lines of leaderboards."""
    keys = select(ratings.c.seats, ratings.c.player).where(ratings.c.game == game)
    every = {(row.seats, row.player) for row in conn.execute(keys)} | lines.keys()
    stored = load(conn, game, {key[0] for key in every}, {key[1] for key in every})
    wrong = sorted(key for key in every if stored.get(key) != lines.get(key))
    named = by_players(conn, {player for _, player in wrong})
    for seats, player in wrong:
        yield (
            f"the line of {named[player].name} (version {named[player].version}) differs in the "
            f"leaderboard for {f'{seats} seats' if seats else 'all seats'}"
        )
