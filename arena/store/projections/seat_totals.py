"""The results of players by seat, counted match by match.

Unlike live Elo, these counts do not depend on the order of matches, so a match counts once it is
stored. Only matches that count in ratings are included.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, func, select

from arena.store.dialects import upsert_sums, write_rows
from arena.store.matches.columns import MatchColumns, sums_by
from arena.store.matches.read_columns import rated_of_game
from arena.store.projections.projection import Change, differing
from arena.store.tables import SEAT_COUNTERS, seat_sums

_row = seat_sums.c
BY_SEAT = (
    select(_row.seats, _row.seat, _row.matches, _row.wins, _row.halves, _row.points, _row.faults)
    .where(_row.game == bindparam("of"), _row.player == bindparam("player"))
    .order_by(_row.seats, _row.seat)
)

Key = tuple[int, int, int]  # player, number of seats, seat
Sums = dict[Key, tuple[int, ...]]  # in the order of SEAT_COUNTERS


@dataclass(frozen=True, slots=True)
class SeatTotals:
    """A player's results from one seat (from 0) at tables of `seats` seats. `score` is the share of
    opponents that it beat; a tie counts as half."""

    seats: int
    seat: int
    matches: int
    wins: int  # alone or shared
    score: float
    mean_points: float
    faults: int


class SeatTotalsProjection:
    """By player and seat, its results."""

    name = "seat_totals"
    version = 1

    def apply(self, conn: Connection, change: Change) -> None:
        add(conn, change.game, add_up(change.columns))

    def rebuild(self, conn: Connection, game: str) -> None:
        sums = add_up(rated_of_game(conn, game))
        conn.execute(delete(seat_sums).where(seat_sums.c.game == game))
        add(conn, game, sums)

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        if wrong := differing(add_up(rated_of_game(conn, game)), stored(conn, game)):
            yield f"the results by seat differ {wrong:,} times"


def add_up(found: MatchColumns) -> Sums:
    keys, sums = sums_by(
        (found.players << 16) + (found.seats[found.match] << 8) + found.seat,
        found.counters(SEAT_COUNTERS),
    )
    return {
        (key >> 16, key >> 8 & 255, key & 255): tuple(line)
        for key, line in zip(keys.tolist(), sums.tolist(), strict=True)
    }


def add(conn: Connection, game: str, sums: Sums) -> None:
    """Adds to the stored sums. The caller holds the game's lock."""
    rows = [(game, *key, *line) for key, line in sums.items()]
    write_rows(
        conn,
        upsert_sums(conn, seat_sums),
        ("game", "player", "seats", "seat", *SEAT_COUNTERS),
        rows,
    )


def by_seat(conn: Connection, game: str, player: int) -> list[SeatTotals]:
    """A player's results by seat, ordered by number of seats."""
    rows = conn.execute(BY_SEAT, {"of": game, "player": player})
    return [
        SeatTotals(
            seats,
            seat,
            matches,
            wins,
            halves / (2 * (seats - 1) * matches),
            points / matches,
            faults,
        )
        for seats, seat, matches, wins, halves, points, faults in rows
    ]


def matches_by_seats(
    conn: Connection, game: str, players: Collection[int]
) -> dict[int, dict[int, int]]:
    """By player, its matches of the game by number of seats."""
    row = seat_sums.c
    query = select(row.player, row.seats, func.sum(row.matches)).group_by(row.player, row.seats)
    by_player: dict[int, dict[int, int]] = {}
    for player, seats, count in conn.execute(
        query.where(row.game == game, row.player.in_(players))
    ):
        by_player.setdefault(player, {})[seats] = int(count)
    return by_player


def stored(conn: Connection, game: str) -> Sums:
    row = seat_sums.c
    query = select(row.player, row.seats, row.seat, *(row[name] for name in SEAT_COUNTERS))
    rows = conn.execute(query.where(row.game == game))
    return {(player, seats, seat): tuple(sums) for player, seats, seat, *sums in rows}
