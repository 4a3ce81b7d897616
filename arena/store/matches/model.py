"""A finished match, as it is passed to the store, and its outcome."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from sqlalchemy import Connection, Select, select

from arena.store.tables import match_seats


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """When a match ended (Unix seconds), and its result by seat: all that ratings, counters and
    sums need of it."""

    finished: float
    players: tuple[int, ...]
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    forfeited: tuple[bool, ...]

    @property
    def won(self) -> tuple[bool, ...]:
        """By seat, whether it won, alone or shared. If all seats forfeited, none won."""
        seats = zip(self.ranks, self.forfeited, strict=True)
        return tuple([rank == 1 and not forfeited for rank, forfeited in seats])

    @property
    def shared(self) -> bool:
        """Whether several seats have the best rank."""
        return self.ranks.count(1) > 1


@dataclass(frozen=True, slots=True)
class FaultNote:
    """A fault in a match: its seat, decision, kind and reason, and the action played instead."""

    seat: int
    number: int
    kind: str
    reason: str
    instead: str


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A finished match; `players`, `points`, `ranks`, `faults`, `forfeited` are by seat.

    `faults` are counts. `log` is the packed log of `arena.games.packed_log`. `latencies` are its
    latency codes by seat, if they were measured. Times are Unix seconds.
    """

    id: str
    tournament: int
    batch: int
    position: int
    deal: int
    game: str
    ruleset: str
    options: Mapping[str, str]
    seed: bytes
    players: tuple[int, ...]
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    forfeited: tuple[bool, ...]
    log: bytes
    started: float
    finished: float
    notes: tuple[FaultNote, ...] = ()
    latencies: tuple[bytes, ...] = ()

    @property
    def outcome(self) -> MatchOutcome:
        """The result for ratings."""
        return MatchOutcome(
            self.finished, self.players, self.points, self.ranks, self.faults, self.forfeited
        )


@dataclass(frozen=True, slots=True)
class Rated:
    """A match's place in its game's sequence; by seat, overall Elo before it and its change."""

    sequence: int
    before: tuple[float, ...]
    change: tuple[float, ...]


def read_outcomes(
    conn: Connection, chosen: Select[int, int, float]
) -> Iterator[tuple[int, int, MatchOutcome]]:
    """Stored matches in the order of their places: place, number, outcome. `chosen` selects three
    columns: the place of a match (named `place`), its number, and when it ended."""
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
