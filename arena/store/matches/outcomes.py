"""The outcome of a match: everything that ratings, counters and sums need of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from sqlalchemy import Connection, Select, select

from arena.store.tables import match_seats


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """When a match ended (Unix seconds), and its result by seat."""

    finished: float
    players: tuple[int, ...]
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    forfeited: tuple[bool, ...]

    @property
    def won(self) -> tuple[bool, ...]:
        """By seat, whether it won, alone or shared.

        If all seats forfeited, none won.
        """
        seats = zip(self.ranks, self.forfeited, strict=True)
        return tuple([rank == 1 and not forfeited for rank, forfeited in seats])

    @property
    def shared(self) -> bool:
        """Whether several seats have the best rank."""
        return self.ranks.count(1) > 1


def read(
    conn: Connection, chosen: Select[int, int, float]
) -> Iterator[tuple[int, int, MatchOutcome]]:
    """Stored matches in the order of their places: place, number, outcome.

    `chosen` selects three columns: the place of a match (named `place`), its number, and when it
    ended.
    """
    places, seat = chosen.subquery(), match_seats.c
    place, number, finished = places.c
    rows = conn.execute(
        select(place, number, finished)
        .add_columns(seat.player, seat.points, seat.rank, seat.faults, seat.forfeited)
        .join_from(places, match_seats, seat.match == number)
        .order_by(place, seat.seat)
    ).all()
    for (where, match, end), lines in groupby(rows, key=itemgetter(0, 1, 2)):
        yield (
            where,
            match,
            MatchOutcome(end, *zip(*(tuple(line)[3:] for line in lines), strict=True)),
        )
