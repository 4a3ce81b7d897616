"""Rates matches one at a time, and rates all of them again.

A game's matches are rated in one sequence, which is stored with them. The game's row in
`rated_games` is the lock for rating. Each match changes two leaderboards: the one of its number of
seats, and the overall one (seats 0).

`elo_tables` has the arithmetic. The anchor is read under the lock for changing it, so all matches
of a game are rated with the same one.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from itertools import chain
from operator import attrgetter

import numpy as np
from sqlalchemy import Connection, delete, func, select, update

from arena.store.dialects import insert, upsert, write_rows
from arena.store.matches import read_columns
from arena.store.matches.archived import archived_blocks, seats_of
from arena.store.matches.columns import Floats, MatchColumns
from arena.store.matches.model import MatchOutcome, Rated
from arena.store.matches.read_columns import StoredColumns, rows_of_seats
from arena.store.matches.write import mark_seats
from arena.store.projections import rating_history
from arena.store.projections.elo_tables import OVERALL, EloLine, EloTables, Lines, Zero, play
from arena.store.projections.projection import Change
from arena.store.registry import anchors
from arena.store.registry.bots import by_players
from arena.store.tables import elo_zeros, match_seats, rated_games, ratings
from arena.tournaments.ratings.deal_sums import Integers

STORED = tuple(each.name for each in fields(EloLine) if each.name != "marks")
_numbers = attrgetter(*STORED)
UNLIKE = (
    "the Elo of {:,} archived matches differs from their archives: restore their months and "
    "rebuild to change it there"
)
CHUNK = 2000  # matches processed together
NONE = -1e300  # Elo of a match that was stored without one
ELO = [("match", np.int64), ("before", np.float64), ("change", np.float64)]


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
        _, unlike = _rebuild(conn, game)
        return [UNLIKE.format(unlike)] if unlike else []

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        tables = EloTables(anchors.anchor_player(conn, game))
        stored = read_columns.of_game(conn, game)
        wrong = [
            number
            for some in _otherwise(conn, game, stored, partial(play, tables))
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
    for wrong in _otherwise(conn, game, stored, partial(play, tables)):
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


def _otherwise(
    conn: Connection, game: str, stored: StoredColumns, play: Callable[[int, MatchOutcome], Rated]
) -> Iterator[dict[int, Rated]]:
    """Rates all rated matches of a game again with `play`, which gets their place and outcome.
    Yields those whose stored Elo differs or is missing, by number, in several portions."""
    elo = _stored_elo(conn, game, stored)
    sequence = stored.sequence
    order = np.argsort(sequence, kind="stable")
    order = order[sequence[order] > 0]
    first = stored.columns.first
    for start in range(0, len(order), CHUNK):
        chunk = order[start : start + CHUNK]
        outcomes = _outcomes(stored.columns.take(chunk))
        again = list(map(play, sequence[chunk].tolist(), outcomes))
        yield {
            int(stored.numbers[chunk[place]]): again[place]
            for place in _unlike(elo, first[chunk], again)
        }


def _unlike(elo: Floats, first: Integers, again: list[Rated]) -> list[int]:
    """The indices of matches that differ from the stored Elo (S, 2); `first` are their seats."""
    seats = np.array([len(rated.before) for rated in again])
    match = np.repeat(np.arange(len(again)), seats)
    rows = np.arange(len(match)) + np.repeat(first - (np.cumsum(seats) - seats), seats)
    before = np.array(list(chain.from_iterable([rated.before for rated in again])))
    change = np.array(list(chain.from_iterable([rated.change for rated in again])))
    wrong = (elo[rows, 0] != before) | (elo[rows, 1] != change)
    return sorted(set(match[wrong].tolist()))


def _outcomes(columns: MatchColumns) -> Iterator[MatchOutcome]:
    by_seat = list(
        zip(
            columns.players.tolist(),
            columns.points.tolist(),
            columns.ranks.tolist(),
            columns.faults.tolist(),
            columns.forfeited.tolist(),
            strict=True,
        )
    )
    start = 0
    for finished, seats in zip(columns.finished.tolist(), columns.seats.tolist(), strict=True):
        yield MatchOutcome(finished, *zip(*by_seat[start : start + seats], strict=True))
        start += seats


def _stored_elo(conn: Connection, game: str, stored: StoredColumns) -> Floats:
    """(S, 2): Elo before each match and its change, by seat."""
    archived = stored.archived[stored.columns.match]
    elo = np.empty((len(archived), 2))
    elo[~archived] = _in_database(conn, stored.numbers[~stored.archived])
    elo[archived] = _in_archives(conn, game) if archived.any() else elo[archived]
    return elo


def _in_database(conn: Connection, numbers: Integers) -> Floats:
    seat = match_seats.c
    query = select(
        seat.match, func.coalesce(seat.elo_before, NONE), func.coalesce(seat.elo_change, NONE)
    )
    chunks = [
        np.stack([rows["before"], rows["change"]], axis=1)
        for rows in rows_of_seats(conn, query, ELO, numbers)
    ]
    return np.concatenate(chunks or [np.empty((0, 2))])


def _in_archives(conn: Connection, game: str) -> Floats:
    found = [np.empty((0, 2))]
    for block, own in archived_blocks(conn, game):
        chosen = seats_of(block, own)
        names = "elo_before", "elo_change"
        elo = [block.array("match_seats", name, NONE)[chosen] for name in names]
        found.append(np.stack(elo, axis=1))
    return np.concatenate(found)
