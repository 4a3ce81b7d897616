"""What is counted of each player with every match that is stored, in whatever order they come."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import Connection, select

from arena.store import latencies, seat_sums
from arena.store.outcomes import Outcome, read
from arena.store.rate import lock_game
from arena.store.tables import matches, tournaments

CHUNK = 2000  # matches read at a time when all are counted again


def count(
    conn: Connection, game: str, fresh: Collection[tuple[Outcome, tuple[bytes, ...]]]
) -> None:
    """Counts matches of rated tournaments, each with its latency codes by seat: from which seat
    who did how, how long answers took."""
    lock_game(conn, game)
    seat_sums.add(conn, game, seat_sums.add_up(outcome for outcome, _ in fresh))
    measured = ((outcome.players, codes) for outcome, codes in fresh)
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
    last, row = 0, matches.c
    while True:
        chunk = (
            select(row.number.label("place"), row.number, row.finished)
            .join_from(matches, tournaments)
            .where(row.game == game, tournaments.c.kind == "tournament")
            .where(row.number > last)
            .order_by(row.number)
            .limit(CHUNK)
        )
        found = list(read(conn, chunk))
        if not found:
            return
        yield from (outcome for _, _, outcome in found)
        last = found[-1][0]
