"""The matches of a game in the order in which they were rated, and their stored Elo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
from sqlalchemy import Connection, func, select

from arena.store.matches.archived import archived_blocks, seats_of
from arena.store.matches.columns import Floats, MatchColumns
from arena.store.matches.model import Rated
from arena.store.matches.outcomes import MatchOutcome
from arena.store.matches.read_columns import StoredColumns, rows_of_seats
from arena.store.tables import match_seats
from arena.tournaments.ratings.deal_sums import Integers

CHUNK = 2000  # matches processed together
NONE = -1e300  # Elo of a match that was stored without one

ELO = [("match", np.int64), ("before", np.float64), ("change", np.float64)]


def otherwise(
    conn: Connection, game: str, stored: StoredColumns, play: Callable[[int, MatchOutcome], Rated]
) -> Iterator[dict[int, Rated]]:
    """Rates all rated matches of a game again with `play`, which gets their place and outcome.
    Yields those whose stored Elo differs or is missing, by number, in several portions."""
    elo = _stored(conn, game, stored)
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
    """The outcomes of these matches."""
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


def _stored(conn: Connection, game: str, stored: StoredColumns) -> Floats:
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
