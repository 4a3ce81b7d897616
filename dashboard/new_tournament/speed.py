"""How fast matches of a kind are played here, measured on the latest ones."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise

from sqlalchemy import Connection, select

from arena.store.connect import store_of
from arena.store.kept import Kept
from arena.store.tables import matches, tournaments

LOOKED_AT = 20_000  # newest matches of all kinds among which those of the kind are looked for
ENOUGH = 2_000
FEWEST, SHORTEST_S = 20, 0.05  # fewer, or in less time, tell nothing
IDLE_S = 3.0  # between two matches; beyond it nothing was being played
KEPT_S = 60.0

# Two cores with quick bots do about as much; said where nothing is measured.
USUAL = 100.0


@dataclass(frozen=True)
class Speed:
    """Matches per second while they were played, over so many matches, the newest at `newest`.

    Nothing is measured where there are no matches.
    """

    per_second: float = USUAL
    matches: int = 0
    newest: float = 0.0


_kept: Kept[Speed] = Kept(64)


def speed(conn: Connection, game: str, seats: int) -> Speed:
    """How fast matches of a game at so many seats are played here; up to a minute old."""
    key = store_of(conn).identity, game, seats
    minute = time.monotonic() // KEPT_S
    return _kept.get(key, minute, lambda: measured(conn, game, seats))


def measured(conn: Connection, game: str, seats: int) -> Speed:
    """The same, counted now: of the newest matches of rated tournaments."""
    shown = matches.c
    newest = (
        select(shown.tournament, shown.game, shown.seats, shown.finished)
        .order_by(shown.number.desc())
        .limit(LOOKED_AT)
        .subquery()
    )
    rated = select(tournaments.c.id).where(tournaments.c.kind == "tournament")
    query = (
        select(newest.c.finished)
        .where(newest.c.game == game, newest.c.seats == seats, newest.c.tournament.in_(rated))
        .limit(ENOUGH)
    )
    times = sorted(conn.scalars(query))
    gaps = (later - earlier for earlier, later in pairwise(times))
    played_s = sum(gap for gap in gaps if gap < IDLE_S)
    if len(times) < FEWEST or played_s < SHORTEST_S:
        return Speed()
    return Speed((len(times) - 1) / played_s, len(times), times[-1])
