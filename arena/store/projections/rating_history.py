"""The Elo history of a bot: up to 256 marks, for any number of matches.

Each of its first 256 matches leaves a mark. Then every other mark is dropped; up to 512 matches
every second match leaves a mark, up to 1,024 every fourth, and so on. So a history has 128 to 256
evenly spaced marks, and the matches alone determine which. A mark is stored in twelve bytes,
little-endian: when the match ended (Unix seconds, four bytes), Elo, and half the width of its 95%
band (`arena.tournaments.ratings.swing`) in single precision. The newest marks come last, because
leaderboards often read only these.
"""

import struct
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, case, delete, func, select

from arena.store.dialects import upsert, write_rows
from arena.store.projections.projection import differing
from arena.store.registry.anchors import anchor_player
from arena.store.tables import elo_courses, ratings
from arena.tournaments.ratings.elo import START
from arena.tournaments.ratings.swing import UNKNOWN, half_width

MOST = 256
SIZE = 12
CHUNK = 10_000  # histories read together
TREND = 20  # newest marks, shown in a leaderboard

_row = elo_courses.c
SOME = select(_row.player, _row.every, _row.marks).where(
    _row.game == bindparam("of"),
    _row.seats == bindparam("at"),
    _row.player.in_(bindparam("players", expanding=True)),
)

_line = ratings.c
NOW = select(
    _line.matches, _line.last_played, _line.elo, _line.variance, _line.zero_variance
).where(
    _line.game == bindparam("of"),
    _line.seats == bindparam("at"),
    _line.player == bindparam("player"),
)

Key = tuple[int, int]  # number of seats (0: all), player


class Mark(NamedTuple):
    """The state after match number `match`: when it ended, Elo, half its 95% band."""

    match: int
    finished: int
    elo: float
    plus_minus: float


@dataclass(frozen=True, slots=True)
class RatingHistory:
    """Packed marks after each `every`-th match, oldest first."""

    every: int
    packed: bytes

    @property
    def marks(self) -> list[Mark]:
        """All marks."""
        rows = struct.iter_unpack("<Iff", self.packed)
        return [Mark(self.every * place, *row) for place, row in enumerate(rows, 1)]


def spacing(match: int) -> int:
    """Matches between the marks of a player with this number of matches: 1, 2, 4, ..."""
    return 1 << max(0, (match - 1).bit_length() - 8)


def is_marked(match: int) -> bool:
    """Whether a player's match with this number leaves a mark."""
    # The result of `spacing` is a power of two. Inlined: it is called for each seat of each match.
    return match <= MOST or not match & ((1 << ((match - 1).bit_length() - 8)) - 1)


def extended(marks: Sequence[Mark], before: RatingHistory | None = None) -> RatingHistory:
    """A history with new marks, at least one, added to an earlier one."""
    every = spacing(marks[-1].match)
    old = b"" if before is None else _thinned(before, every)
    new = [struct.pack("<Iff", *mark[1:]) for mark in marks if not mark.match % every]
    return RatingHistory(every, old + b"".join(new))


def _thinned(history: RatingHistory, every: int) -> bytes:
    if history.every == every:
        return history.packed
    step = SIZE * (every // history.every)
    packed = history.packed
    return b"".join([packed[end - SIZE : end] for end in range(step, len(packed) + 1, step)])


def extend(conn: Connection, game: str, marks: Mapping[Key, Sequence[Mark]]) -> None:
    """Adds new marks to the histories of these players. The caller holds the game's lock."""
    new = {key: new_marks for key, new_marks in marks.items() if new_marks}
    if not new:
        return
    stored = load(conn, game, new)
    rows = []
    for key, new_marks in new.items():
        longer = extended(new_marks, stored.get(key))
        rows.append((game, *key, longer.every, longer.packed))
    names = ("game", "seats", "player", "every", "marks")
    write_rows(conn, upsert(conn, elo_courses), names, rows)


def load(conn: Connection, game: str, keys: Collection[Key]) -> dict[Key, RatingHistory]:
    """The stored histories of these keys."""
    by_seats: dict[int, list[int]] = defaultdict(list)
    for seats, player in keys:
        by_seats[seats].append(player)
    histories: dict[Key, RatingHistory] = {}
    for seats, players in by_seats.items():
        for first in range(0, len(players), CHUNK):
            chunk = {"of": game, "at": seats, "players": players[first : first + CHUNK]}
            rows = conn.execute(SOME, chunk)
            histories |= {(seats, player): RatingHistory(*row) for player, *row in rows}
    return histories


def marks_of(conn: Connection, game: str, player: int, seats: int = 0) -> list[Mark]:
    """The marks of a player's Elo history at tables of `seats` seats, or (0) of all."""
    histories = load(conn, game, [(seats, player)])
    return histories[seats, player].marks if histories else []


def trends(conn: Connection, game: str, seats: int = 0) -> dict[int, list[float]]:
    """By player of a leaderboard, its Elo at the newest marks, oldest first."""
    row = elo_courses.c
    first = func.length(row.marks) - (TREND * SIZE - 1)
    end = func.substr(row.marks, case((first > 1, first), else_=1))
    rows = conn.execute(select(row.player, end).where(row.game == game, row.seats == seats))
    return {
        player: [elo for _, elo, _ in struct.iter_unpack("<Iff", packed)] for player, packed in rows
    }


def clear(conn: Connection, game: str) -> None:
    """Deletes the histories of a game, before they are rebuilt."""
    conn.execute(delete(elo_courses).where(elo_courses.c.game == game))


def unlike(conn: Connection, game: str, marks: Mapping[Key, Sequence[Mark]]) -> int:
    """Number of stored histories of a game that differ from these marks."""
    row = elo_courses.c
    rows = conn.execute(select(row.seats, row.player, row.every, row.marks).where(row.game == game))
    actual = {
        (seats, player): RatingHistory(every, packed) for seats, player, every, packed in rows
    }
    expected = {key: extended(its_marks) for key, its_marks in marks.items() if its_marks}
    return differing(expected, actual)


@dataclass(frozen=True, slots=True)
class Point:
    """Elo after match number `match` of a player, and its 95% band. `finished` is when that match
    ended (Unix seconds), None before the first one."""

    match: int
    finished: float | None
    elo: float
    low: float
    high: float


def history(conn: Connection, game: str, player: int, seats: int = 0) -> list[Point]:
    """A player's Elo history from the start to now; empty without a rated match. The anchor's stays
    at 1500, without a band."""
    now = conn.execute(NOW, {"of": game, "at": seats, "player": player}).first()
    if now is None:
        return []
    marks = [mark for mark in marks_of(conn, game, player, seats) if mark.match < now.matches]
    end = Mark(now.matches, 0, now.elo, half_width(now.variance + now.zero_variance))
    # At the start, the band is at least as wide as at the next point.
    first = max(half_width(UNKNOWN), [*marks, end][0].plus_minus)
    if player == anchor_player(conn, game):
        first = 0.0
    points = [_point(0, None, START, first), *(_point(*mark) for mark in marks)]
    return [*points, _point(end.match, now.last_played, end.elo, end.plus_minus)]


def _point(match: int, finished: float | None, elo: float, half: float) -> Point:
    return Point(match, finished, elo, elo - half, elo + half)
