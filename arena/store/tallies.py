"""What is counted of each player with every match that is stored, in whatever order they come."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from arena.store import latencies, seat_sums
from arena.store.rate import Outcome, lock_game
from arena.store.tables import match_seats, matches, tournaments

if TYPE_CHECKING:
    from arena.store.results import MatchResult

CHUNK = 2000  # matches read at a time when all are counted again


def count(conn: Connection, game: str, fresh: Collection[MatchResult]) -> None:
    """Counts matches of rated tournaments: from which seat who did how, how long answers took."""
    lock_game(conn, game)
    seat_sums.add(conn, game, seat_sums.add_up(result.outcome for result in fresh))
    measured = ((result.players, result.latencies) for result in fresh)
    latencies.add(conn, game, latencies.add_up(measured))


def rebuild(conn: Connection, game: str) -> None:
    """Counts a game again from its stored matches."""
    lock_game(conn, game)
    made = recount(conn, game)
    seat_sums.clear(conn, game)
    seat_sums.add(conn, game, made)
    latencies.rebuild(conn, game)


def recount(conn: Connection, game: str) -> seat_sums.Sums:
    """The sums by seat as they follow from the stored matches; changes nothing."""
    return seat_sums.add_up(_outcomes(conn, game))


def _outcomes(conn: Connection, game: str) -> Iterator[Outcome]:
    """The matches of a game's rated tournaments, in the order of storing."""
    seat = match_seats.c
    last = 0
    while True:
        chunk = (
            select(matches.c.number, matches.c.finished)
            .join_from(matches, tournaments)
            .where(matches.c.game == game, tournaments.c.kind == "tournament")
            .where(matches.c.number > last)
            .order_by(matches.c.number)
            .limit(CHUNK)
            .subquery()
        )
        rows = conn.execute(
            select(chunk.c.number, chunk.c.finished)
            .add_columns(seat.player, seat.points, seat.rank, seat.faults, seat.forfeited)
            .join_from(chunk, match_seats, seat.match == chunk.c.number)
            .order_by(chunk.c.number, seat.seat)
        ).all()
        if not rows:
            return
        yield from _tables(rows)
        last = rows[-1][0]


def _tables(rows: Iterable[Any]) -> Iterator[Outcome]:
    for (_, finished), lines in groupby(rows, key=itemgetter(0, 1)):
        yield Outcome(finished, *zip(*(tuple(line)[2:] for line in lines), strict=True))
