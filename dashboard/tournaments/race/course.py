"""The Elo of bots over a tournament's matches, sampled so that the cost does not grow with them.

Of each step, only the last few matches are read, about as many as every bot needs to appear once.
A bot keeps its last Elo until it appears again.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import nan
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, select

from arena.base.errors import Unavailable
from arena.store.archive.open_files import TournamentBlock
from arena.store.cache import DatabaseCache
from arena.store.matches.archived import seats_of, tournament_blocks
from arena.store.reports.standings import Standing
from arena.store.tables import match_seats, matches, tournaments
from arena.store.tournaments import withdrawals
from arena.store.tournaments.tournaments import Tournament

MOST_BOTS = 12  # lines; more would be hard to distinguish
MOST_POINTS = 150
MOST_SEATED = 30_000  # seats to read, approximately
OFTEN = 3  # factor for the number of matches that seat each bot once

Seated = tuple[int, int, float, float]  # position, player, Elo before, its change


@dataclass(frozen=True)
class RacePoint:
    """The Elo of each bot that has played, after the first `played` matches in scheduled order."""

    played: int
    elo: dict[str, float]


class Loaded(NamedTuple):
    """The seats read, up to position `rated`, which is rated next. There is a point for each `step`
    of positions. `cancelled` positions do not count."""

    rows: Sequence[Seated]
    rated: int
    step: int
    cancelled: Sequence[int] = ()


_cached: DatabaseCache[list[RacePoint]] = DatabaseCache(64)


def names(standings: Sequence[Standing]) -> dict[int, str]:
    """Return the names of the bots to show by player: the first of the standings. Names include the
    version if several versions of a bot are shown."""
    racing = standings[:MOST_BOTS]
    versions = [line.bot for line in racing]
    return {
        line.player: line.bot if versions.count(line.bot) == 1 else f"{line.bot} v{line.version}"
        for line in racing
    }


def race(conn: Connection, tournament: Tournament, racing: Mapping[int, str]) -> list[RacePoint]:
    """Return the points so far, from before the first match; empty until that is rated. Cached;
    with very many matches, it may be a few seconds old."""
    return _cached.get(
        conn,
        (tournament.id, tuple(racing)),
        lambda now: _rated(now, tournament),
        lambda now: _load(now, tournament, racing),
        lambda loaded: _steps(loaded, racing),
    )


def _rated(conn: Connection, tournament: Tournament) -> int:
    """Return the position that is rated next. All before are rated, except cancelled ones."""
    query = select(tournaments.c.rated).where(tournaments.c.id == tournament.id)
    return int(conn.scalar(query) or 0)


def _load(conn: Connection, tournament: Tournament, racing: Mapping[int, str]) -> Loaded:
    rated = _rated(conn, tournament)
    if not rated or not racing:
        return Loaded([], 0, 1)
    entrants, seats = len(tournament.players), tournament.spec.seats
    wide = max(OFTEN * entrants // seats, seats)
    points = max(10, min(MOST_POINTS, MOST_SEATED // (wide * seats)))
    step = -(-rated // points)
    asked = tournament.id, racing, rated, step, min(wide, step)
    rows = sorted([*_archived(conn, *asked), *_seated(conn, *asked)], key=itemgetter(0))
    cancelled = sorted(withdrawals.cancelled(conn, tournament.id, 0, rated))
    return Loaded(rows, rated, step, cancelled)


def _seated(
    conn: Connection, tournament: int, racing: Mapping[int, str], rated: int, step: int, wide: int
) -> Sequence[Seated]:
    """Return the seats in the last matches of each step and in the very first matches."""
    position = matches.c.position
    rows = conn.execute(
        select(position, match_seats.c.player, match_seats.c.elo_before, match_seats.c.elo_change)
        .join_from(matches, match_seats)
        .where(
            matches.c.tournament == tournament,
            _looked_at(position, rated, step, wide),
            match_seats.c.player.in_(racing),
            match_seats.c.elo_change.is_not(None),
        )
        .order_by(position)
    )
    return [(place, player, before, change) for place, player, before, change in rows]


def _looked_at(position: Any, rated: int, step: int, wide: int) -> Any:
    """Whether to read these positions; `position` is a database column or an array."""
    ends = (position % step >= step - wide) | (position >= rated - wide)
    return (position < rated) & (ends | (position < wide))


def _archived(
    conn: Connection, tournament: int, racing: Mapping[int, str], rated: int, step: int, wide: int
) -> list[Seated]:
    """Return the seats in archived matches, without those of missing files."""

    def wanted(each: TournamentBlock) -> bool:
        """Whether one of its positions may have to be read."""
        first, last = each.first_position, each.last_position
        window = first - first % step + step - wide
        return min(last, rated) >= window or first < wide or last >= rated - wide

    found: list[Seated] = []
    with suppress(Unavailable):
        for *_, block, own in tournament_blocks(conn, tournament, wanted):
            positions = block.array("matches", "position")
            own &= _looked_at(positions, rated, step, wide)
            numbers = block.array("matches", "number")
            match = block.array("match_seats", "match")
            player = block.array("match_seats", "player")
            change = block.array("match_seats", "elo_change", missing=nan)
            chosen = seats_of(block, own) & np.isin(player, list(racing)) & ~np.isnan(change)
            found += zip(
                positions[np.searchsorted(numbers, match[chosen])].tolist(),
                player[chosen].tolist(),
                block.array("match_seats", "elo_before")[chosen].tolist(),
                change[chosen].tolist(),
                strict=True,
            )
    return found


def _steps(loaded: Loaded, racing: Mapping[int, str]) -> list[RacePoint]:
    start: dict[str, float] = {}
    now: dict[str, float] = {}
    points: dict[int, RacePoint] = {}
    for position, player, before, change in loaded.rows:
        name = racing[player]
        start.setdefault(name, round(before, 2))
        now[name] = round(before + change, 2)
        end = min((position // loaded.step + 1) * loaded.step, loaded.rated)
        played = end - bisect_left(loaded.cancelled, end)
        points[end] = RacePoint(played, {n: now[n] for n in racing.values() if n in now})
    steps = list(points.values())
    begun = {name: elo for name, elo in start.items() if steps and name in steps[0].elo}
    return [RacePoint(0, begun), *steps] if steps else []
