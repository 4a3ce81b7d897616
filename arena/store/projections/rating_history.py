"""The course of a bot's live Elo: up to 256 marks, however many matches it has played.

After each of its first 256 matches there is a mark. Then every other one goes, and from there to
512 matches each second match leaves one, to 1,024 each fourth, and so on: a course has always
128 to 256 marks, evenly spaced, and which ones follows from the matches alone. Marks are stored
in twelve bytes each, little-endian: when the match ended (Unix seconds, four bytes), Elo and the
half width of its 95% band (`arena.tournaments.ratings.swing`) in single precision. Tables are read
often and show only how a course ends, so its newest marks stand last.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, case, delete, func, select

from arena.store.bulk import write_rows
from arena.store.registry.anchors import anchor_player
from arena.store.tables import elo_courses, ratings
from arena.store.upsert import upsert
from arena.tournaments.ratings.elo import START
from arena.tournaments.ratings.swing import UNKNOWN, half_width

MOST = 256
SIZE = 12
CHUNK = 10_000  # courses read at a time
TREND = 20  # marks at the end of a course that a table shows

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
    """After a player's so many-th match: when it ended, Elo, half its 95% band."""

    match: int
    finished: int
    elo: float
    plus_minus: float


@dataclass(frozen=True, slots=True)
class RatingHistory:
    """Marks after each `every`-th match, oldest first, packed."""

    every: int
    packed: bytes

    @property
    def marks(self) -> list[Mark]:
        """All marks."""
        rows = struct.iter_unpack("<Iff", self.packed)
        return [Mark(self.every * place, *row) for place, row in enumerate(rows, 1)]


def spacing(match: int) -> int:
    """Between the marks of who has played so many matches: 1, 2, 4, ..."""
    return 1 << max(0, (match - 1).bit_length() - 8)


def is_marked(match: int) -> bool:
    """Whether a player's so many-th match leaves a mark."""
    # As `spacing` says, which is a power of two; asked for with every seat of every match.
    return match <= MOST or not match & ((1 << ((match - 1).bit_length() - 8)) - 1)


def course_of(marks: Sequence[Mark], before: RatingHistory | None = None) -> RatingHistory:
    """A course with more marks; at least one."""
    every = spacing(marks[-1].match)
    old = b"" if before is None else _thinned(before, every)
    new = [struct.pack("<Iff", *mark[1:]) for mark in marks if not mark.match % every]
    return RatingHistory(every, old + b"".join(new))


def _thinned(course: RatingHistory, every: int) -> bytes:
    if course.every == every:
        return course.packed
    step = SIZE * (every // course.every)
    packed = course.packed
    return b"".join([packed[end - SIZE : end] for end in range(step, len(packed) + 1, step)])


def extend(conn: Connection, game: str, marks: Mapping[Key, Sequence[Mark]]) -> None:
    """Adds the new marks of these courses. The caller holds the game's lock."""
    new = {key: new_marks for key, new_marks in marks.items() if new_marks}
    if not new:
        return
    stored = load(conn, game, new)
    rows = []
    for key, new_marks in new.items():
        course = course_of(new_marks, stored.get(key))
        rows.append((game, *key, course.every, course.packed))
    names = ("game", "seats", "player", "every", "marks")
    write_rows(conn, upsert(conn, elo_courses), names, rows)


def load(conn: Connection, game: str, keys: Collection[Key]) -> dict[Key, RatingHistory]:
    """These courses, as far as there are any."""
    by_seats: dict[int, list[int]] = defaultdict(list)
    for seats, player in keys:
        by_seats[seats].append(player)
    courses: dict[Key, RatingHistory] = {}
    for seats, players in by_seats.items():
        for first in range(0, len(players), CHUNK):
            chunk = {"of": game, "at": seats, "players": players[first : first + CHUNK]}
            rows = conn.execute(SOME, chunk)
            courses |= {(seats, player): RatingHistory(*course) for player, *course in rows}
    return courses


def course(conn: Connection, game: str, player: int, seats: int = 0) -> list[Mark]:
    """The marks of one player's Elo at tables of so many seats, or (0) of any."""
    courses = load(conn, game, [(seats, player)])
    return courses[seats, player].marks if courses else []


def trends(conn: Connection, game: str, seats: int = 0) -> dict[int, list[float]]:
    """For each player of a rating table, its Elo at the last marks, oldest first."""
    row = elo_courses.c
    first = func.length(row.marks) - (TREND * SIZE - 1)
    end = func.substr(row.marks, case((first > 1, first), else_=1))
    rows = conn.execute(select(row.player, end).where(row.game == game, row.seats == seats))
    return {
        player: [elo for _, elo, _ in struct.iter_unpack("<Iff", packed)] for player, packed in rows
    }


def clear(conn: Connection, game: str) -> None:
    """Forgets the courses of a game, which are then made again."""
    conn.execute(delete(elo_courses).where(elo_courses.c.game == game))


def unlike(conn: Connection, game: str, marks: Mapping[Key, Sequence[Mark]]) -> int:
    """How many courses of a game are stored otherwise than these marks lead to."""
    row = elo_courses.c
    rows = conn.execute(select(row.seats, row.player, row.every, row.marks).where(row.game == game))
    actual = {
        (seats, player): RatingHistory(every, packed) for seats, player, every, packed in rows
    }
    expected = {key: course_of(its_marks) for key, its_marks in marks.items() if its_marks}
    return sum(expected.get(key) != actual.get(key) for key in expected.keys() | actual.keys())


@dataclass(frozen=True, slots=True)
class Point:
    """Elo after a player's so many-th match, and the band that holds its strength in 95 of 100.

    `finished` is when that match ended (Unix seconds), None before the first one.
    """

    match: int
    finished: float | None
    elo: float
    low: float
    high: float


def history(conn: Connection, game: str, player: int, seats: int = 0) -> list[Point]:
    """The course of a player's Elo from the start to now; empty without a rated match. That of
    the anchor stays at 1500, without a band."""
    now = conn.execute(NOW, {"of": game, "at": seats, "player": player}).first()
    if now is None:
        return []
    marks = [mark for mark in course(conn, game, player, seats) if mark.match < now.matches]
    end = Mark(now.matches, 0, now.elo, half_width(now.variance + now.zero_variance))
    # A band does not begin narrower than it goes on: where the zero is not known either.
    first = max(half_width(UNKNOWN), [*marks, end][0].plus_minus)
    if player == anchor_player(conn, game):
        first = 0.0
    points = [_point(0, None, START, first), *(_point(*mark) for mark in marks)]
    return [*points, _point(end.match, now.last_played, end.elo, end.plus_minus)]


def _point(match: int, finished: float | None, elo: float, half: float) -> Point:
    return Point(match, finished, elo, elo - half, elo + half)
