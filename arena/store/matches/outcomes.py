"""What a match came to: all that ratings, counters and sums need of it, and reading it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from sqlalchemy import ColumnElement, Connection, Select, select

from arena.store.tables import match_seats, matches, tournaments

CHUNK = 2000  # matches read at a time when all are read


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """When a match ended (Unix seconds) and, by seat, how."""

    finished: float
    players: tuple[int, ...]
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    forfeited: tuple[bool, ...]

    @property
    def won(self) -> tuple[bool, ...]:
        """By seat, whether it won, alone or shared.

        Where everybody forfeited the best rank is no victory.
        """
        seats = zip(self.ranks, self.forfeited, strict=True)
        return tuple([rank == 1 and not forfeited for rank, forfeited in seats])

    @property
    def shared(self) -> bool:
        """Whether several have the best rank."""
        return self.ranks.count(1) > 1

    @property
    def halves(self) -> tuple[int, ...]:
        """By seat, 2 for each opponent beaten and 1 for each tie.

        Fewer points beat more, and whoever stayed to the end beats one that forfeited.
        """
        places = list(zip(self.forfeited, self.points, strict=True))
        # A bot ties with itself, which is not counted.
        return tuple(
            [sum([2 * (own < other) + (own == other) for other in places]) - 1 for own in places]
        )


def read(
    conn: Connection, chosen: Select[int, int, float]
) -> Iterator[tuple[int, int, MatchOutcome]]:
    """Stored matches in the order of their places: place, number, outcome.

    `chosen` selects three columns: what gives a match its place (named `place`), its number,
    and when it ended.
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


def in_chunks(
    conn: Connection, chosen: Select[int, int, float], place: ColumnElement[int]
) -> Iterator[list[tuple[int, int, MatchOutcome]]]:
    """The same, some at a time, where `place` is the column that gives places, from 1."""
    last = 0
    while rows := list(read(conn, chosen.where(place > last).order_by(place).limit(CHUNK))):
        yield rows
        last = rows[-1][0]


def of_game(conn: Connection, game: str) -> Iterator[MatchOutcome]:
    """The matches of a game's rated tournaments, in the order of storing."""
    row = matches.c
    chosen = (
        select(row.number.label("place"), row.number, row.finished)
        .join_from(matches, tournaments)
        .where(row.game == game, tournaments.c.kind == "tournament")
    )
    for chunk in in_chunks(conn, chosen, row.number):
        yield from (outcome for _, _, outcome in chunk)


def of_tournament(conn: Connection, tournament: int) -> Iterator[MatchOutcome]:
    """The matches of a tournament, in the order of storing."""
    row = matches.c
    chosen = select(row.number.label("place"), row.number, row.finished)
    chosen = chosen.where(row.tournament == tournament)
    for chunk in in_chunks(conn, chosen, row.number):
        yield from (outcome for _, _, outcome in chunk)


def by_tournament(conn: Connection, game: str) -> Iterator[tuple[int, list[MatchOutcome]]]:
    """Each tournament (or table, or test) that has matches of a game, with their outcomes."""
    row = matches.c
    played = select(row.tournament).where(row.game == game).distinct().order_by(row.tournament)
    for tournament in conn.scalars(played).all():
        chosen = select(row.position.label("place"), row.number, row.finished)
        chosen = chosen.where(row.tournament == tournament)
        yield tournament, [outcome for _, _, outcome in read(conn, chosen)]
