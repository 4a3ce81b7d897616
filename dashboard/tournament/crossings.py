"""The crosstable of a tournament, counted when it is asked for and kept while it is true.

Counting reads every match. Where that takes long, it is done at most in a tenth of the time: the
table of a tournament that runs is then some seconds old.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from arena.store.crosstable import Meeting, crosstable
from arena.store.tournaments import Tournament

AT_ONCE = 20_000  # matches: up to so many it is part of the tournament's page
KEPT = 16
REST = 9  # how many times its duration it is not counted again

Crossings = dict[tuple[str, str], Meeting]


@dataclass(frozen=True)
class Counted:
    """A crosstable as it was after so many matches."""

    meetings: list[Meeting]
    played: int
    seconds: float  # that counting took
    made: float  # monotonic clock


_counted: OrderedDict[tuple[str, int], Counted] = OrderedDict()
_lock = threading.Lock()


def meetings(conn: Connection, tournament: Tournament) -> Counted:
    """The crosstable of a tournament, and after how many matches it was counted."""
    key = conn.engine.url.render_as_string(hide_password=False), tournament.id
    with _lock:
        known = _counted.get(key)
    if known and (known.played == tournament.played or not _worth_it(known)):
        return known
    began = time.monotonic()
    found = crosstable(conn, tournament.id)
    now = time.monotonic()
    made = Counted(found, tournament.played, now - began, now)
    with _lock:
        _counted[key] = made
        _counted.move_to_end(key)
        while len(_counted) > KEPT:
            _counted.popitem(last=False)
    return made


def crossings(found: Iterable[Meeting]) -> Crossings:
    """Meetings by bot and opponent; those of several versions of a bot are taken together."""
    together: Crossings = {}
    for line in found:
        key = line.bot, line.opponent
        together[key] = _with(together[key], line) if key in together else line
    return together


def _worth_it(known: Counted) -> bool:
    return time.monotonic() - known.made > REST * known.seconds


def _with(one: Meeting, more: Meeting) -> Meeting:
    count = one.matches + more.matches
    score = one.score * one.matches + more.score * more.matches
    points = one.point_difference * one.matches + more.point_difference * more.matches
    return Meeting(one.bot, one.opponent, count, score / count, points / count)
