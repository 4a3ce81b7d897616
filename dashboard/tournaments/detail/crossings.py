"""The crosstable of a tournament, computed on request and cached.

Every match is read. If that takes long, the table of a running tournament may be a few seconds
old (see `arena.store.cache`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import Connection

from arena.store.cache import DatabaseCache
from arena.store.reports.crosstable import Meeting, crosstable
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament

AT_ONCE = 20_000  # maximum number of matches to show it on the tournament's page

Crossings = dict[tuple[str, str], Meeting]


@dataclass(frozen=True)
class Counted:
    """A crosstable after `played` matches."""

    meetings: list[Meeting]
    played: int

    @cached_property
    def crossings(self) -> Crossings:
        return crossings(self.meetings)


_counted: DatabaseCache[Counted] = DatabaseCache(16)


def meetings(conn: Connection, tournament: Tournament) -> Counted:
    number = tournament.id
    return _counted.get(
        conn,
        (number,),
        lambda now: tournaments.played(now, number),
        # `played` is read first, so a table may be newer than it says, but never older.
        lambda now: (tournaments.played(now, number), crosstable(now, number)),
        lambda loaded: Counted(loaded[1], loaded[0]),
    )


def crossings(lines: Iterable[Meeting]) -> Crossings:
    """Return meetings by bot and opponent, merged for a bot that re-entered a ladder."""
    together: Crossings = {}
    for line in lines:
        key = line.bot, line.opponent
        together[key] = _with(together[key], line) if key in together else line
    return together


def _with(one: Meeting, more: Meeting) -> Meeting:
    count = one.matches + more.matches
    score = one.score * one.matches + more.score * more.matches
    points = one.point_difference * one.matches + more.point_difference * more.matches
    return Meeting(one.bot, one.opponent, count, score / count, points / count)
