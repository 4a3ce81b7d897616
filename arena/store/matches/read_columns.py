"""The matches of a game and of complete deals as columns, read from the database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, func, select

from arena.store.matches.archived import MATCH, SEAT, read_archived
from arena.store.matches.columns import Booleans, MatchColumns, columns_of
from arena.store.matches.model import MatchResult, read_outcomes
from arena.store.tables import match_seats, matches, tournaments
from arena.tournaments.ratings.deal_blocks import DealBlock
from arena.tournaments.ratings.deal_sums import Integers

CHUNK = 50_000  # matches read together
DEALS = 50_000  # summarised together
KEPT = "arena_matches"  # key in a connection's info


@dataclass(frozen=True)
class StoredColumns:
    """All M matches of a game, ordered by number, which is the order of storing.

    In addition to the columns of results, by match (M,): its number, tournament and deal, its place
    in the order of rating (`sequence`, 0 until it is rated), whether it counts in ratings, now or
    later (`counts`), and whether it is archived and no longer in the database (`archived`).
    """

    columns: MatchColumns
    numbers: Integers
    tournaments: Integers
    deals: Integers
    sequence: Integers
    counts: Booleans
    archived: Booleans


def of_game(conn: Connection, game: str) -> StoredColumns:
    """The matches of a game; within `read_once` they are read only once."""
    kept: dict[str, StoredColumns] = conn.info.get(KEPT, {})
    if game not in kept:
        kept[game] = _read(conn, game)
    return kept[game]


def rated_of_game(conn: Connection, game: str) -> MatchColumns:
    """The matches of a game that count in ratings."""
    stored = of_game(conn, game)
    if stored.counts.all():
        return stored.columns
    return stored.columns.take(np.flatnonzero(stored.counts))


@dataclass(frozen=True)
class TournamentColumns:
    """The M matches of a tournament of any kind, with their deals and numbers (M,)."""

    tournament: int
    counts: bool
    deals: Integers
    numbers: Integers
    columns: MatchColumns


def by_tournament(conn: Connection, game: str) -> Iterator[TournamentColumns]:
    """The matches of a game, tournament by tournament."""
    stored = of_game(conn, game)
    order = np.argsort(stored.tournaments, kind="stable")
    columns, deals = stored.columns.take(order), stored.deals[order]
    keys = stored.numbers[order]
    numbers, starts, counts = np.unique(
        stored.tournaments[order], return_index=True, return_counts=True
    )
    for number, start, count in zip(
        numbers.tolist(), starts.tolist(), counts.tolist(), strict=True
    ):
        end = start + count
        in_ratings = bool(stored.counts[order[start]])
        own = columns.between(start, end)
        yield TournamentColumns(number, in_ratings, deals[start:end], keys[start:end], own)


@contextmanager
def read_once(conn: Connection) -> Iterator[None]:
    """Makes `of_game` read only once. No matches may be stored in the meantime."""
    conn.info[KEPT] = {}
    try:
        yield
    finally:
        del conn.info[KEPT]


def _read(conn: Connection, game: str) -> StoredColumns:
    match = _read_matches(conn, game)
    row = match_seats.c
    query = select(row.match, row.player, row.points, row.rank, row.faults, row.forfeited)
    seat = [np.empty(0, SEAT), *rows_of_seats(conn, query, SEAT, match["number"].copy())]
    # After those in the database, because months cannot be archived while they are being read.
    older, older_seats = read_archived(conn, game)
    archived = np.repeat([False, True], [len(match), len(older)])
    match = np.concatenate([match, older])
    order = np.argsort(match["number"], kind="stable")
    columns = _columns(match, np.concatenate([*seat, older_seats]))
    match = match[order]
    return StoredColumns(
        columns.take(order) if len(older) else columns,
        match["number"].copy(),
        match["tournament"].copy(),
        match["deal"].copy(),
        match["sequence"].copy(),
        np.isin(match["tournament"], _rated(conn)),
        archived[order],
    )


def _columns(match: NDArray[Any], seat: NDArray[Any]) -> MatchColumns:
    """The columns of matches in any order, with their seats in the same order."""
    numbers, place = np.unique(match["number"], return_inverse=True)
    counts = np.bincount(np.searchsorted(numbers, seat["match"]), minlength=len(numbers))
    return MatchColumns(
        match["finished"].copy(),
        counts[place],
        seat["player"].astype(np.int64),
        seat["points"].astype(np.int64),
        seat["rank"].astype(np.int64),
        seat["faults"].astype(np.int64),
        seat["forfeited"].copy(),
    )


def _rated(conn: Connection) -> list[int]:
    """The tournaments whose matches count in ratings."""
    row = tournaments.c
    return list(conn.scalars(select(row.id).where(row.kind == "tournament")))


def _read_matches(conn: Connection, game: str) -> NDArray[Any]:
    row = matches.c
    # The game is a selected column: with a condition, SQLite would sort all matches.
    query = select(
        row.number, row.tournament, row.deal, func.coalesce(row.rated_seq, 0),
        row.finished, row.game == game,
    ).order_by(row.number).limit(CHUNK)  # fmt: skip
    chunks = [np.empty(0, MATCH)]
    last = 0
    while len(found := _array(conn, query.where(row.number > last), MATCH)):
        chunks.append(found[found["own"]])
        last = int(found["number"][-1])
    return np.concatenate(chunks)


def rows_of_seats(
    conn: Connection, query: Select[Any], columns: list[Any], numbers: Integers
) -> Iterator[NDArray[Any]]:
    """Yields rows for the seats of matches with these `numbers` (ascending), in several portions.
    `query` selects the named `columns` of all seats; the first one is the match."""
    seat = match_seats.c
    ordered = query.order_by(seat.match, seat.seat)
    for start in range(0, len(numbers), CHUNK):
        chunk = numbers[start : start + CHUNK]
        between = seat.match.between(int(chunk[0]), int(chunk[-1]))
        rows = _array(conn, ordered.where(between), columns)
        if len(chunk) <= chunk[-1] - chunk[0]:  # there are matches of other games between them
            rows = rows[np.isin(rows["match"], chunk)]
        yield rows


def _array(conn: Connection, query: Select[Any], columns: list[Any]) -> NDArray[Any]:
    """The result of a query as an array, without converting the driver's rows."""
    with conn.execute(query) as result:
        rows: Iterable[Any] = result.cursor  # type: ignore[assignment]
        found: NDArray[Any] = np.fromiter(rows, dtype=np.dtype(columns))
    return found


def of_deals(
    conn: Connection, tournament: int, deals: Sequence[int]
) -> tuple[Integers, Integers, MatchColumns]:
    """The stored matches of these deals of a tournament: their numbers and deals (M,), and the
    matches."""
    row = matches.c
    chosen = row.tournament == tournament, row.deal.in_(deals)
    deal_of = dict(conn.execute(select(row.number, row.deal).where(*chosen)).all())
    query = select(row.number.label("place"), row.number, row.finished).where(*chosen)
    found = list(read_outcomes(conn, query))
    numbers = np.array([number for _, number, _ in found], dtype=np.int64)
    own = np.array([deal_of[number] for _, number, _ in found], dtype=np.int64)
    return numbers, own, columns_of(outcome for *_, outcome in found)


# Complete deals: those with all matches that the tournament's format plays of a deal stored


def newly_complete(
    conn: Connection, tournament: int, new: Mapping[int, MatchResult], columns: MatchColumns
) -> list[DealBlock]:
    """The deals of a tournament that new, already stored matches (by position) have completed.
    `columns` are these matches in the order of their positions."""
    if not new:
        return []
    per_deal = _matches_per_deal(conn, tournament)
    deals = np.array([new[place].deal for place in sorted(new)])
    # Most deals arrive with all their matches, and need not be read again.
    different, counts = np.unique(deals, return_counts=True)
    found = list(_blocks(deals, columns, per_deal))
    if rest := different[counts < per_deal].tolist():
        _, own, stored = of_deals(conn, tournament, rest)
        found += _blocks(own, stored, per_deal)
    return found


def complete_deals(conn: Connection, game: str) -> Iterator[tuple[int, Iterator[DealBlock]]]:
    """Each rated tournament with matches of a game, with its complete deals."""
    for found in by_tournament(conn, game):
        if found.counts:
            per_deal = _matches_per_deal(conn, found.tournament)
            yield found.tournament, _blocks(found.deals, found.columns, per_deal)


def _matches_per_deal(conn: Connection, tournament: int) -> int:
    query = select(tournaments.c.matches_per_deal).where(tournaments.c.id == tournament)
    return int(conn.scalars(query).one())


def _blocks(deals: Integers, columns: MatchColumns, per_deal: int) -> Iterator[DealBlock]:
    """Of M matches with their `deals` (M,), the deals that have `per_deal` matches."""
    _, group, counts = np.unique(deals, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    order = order[counts[group[order]] == per_deal]
    for first in range(0, len(order), DEALS * per_deal):
        whole = columns.take(order[first : first + DEALS * per_deal])
        for seats in np.unique(whole.seats).tolist():  # one value in a tournament
            some = whole.take(np.flatnonzero(whole.seats == seats))
            shape = (-1, per_deal, seats)
            yield DealBlock(
                some.players.reshape(shape),
                some.points.reshape(shape),
                some.forfeited.reshape(shape),
            )
