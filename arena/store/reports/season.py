"""The standings of a series over its finished tournaments."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from arena.store.database_cache import DatabaseCache
from arena.store.reports.standings import Standing
from arena.store.reports.winners import of_finished
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats.series import SeasonLine, points, season

_cached: DatabaseCache[dict[str, float]] = DatabaseCache(1024)


def season_of(conn: Connection, of: Iterable[Tournament], counted: int) -> list[SeasonLine]:
    """The standings over these tournaments of a series, of which the best `counted` results of
    each bot count (0: all)."""
    results = of_finished(conn, of, _cached, _points)
    return season(results, counted)


def _points(lines: list[Standing]) -> dict[str, float]:
    """The points of each bot. If several versions of it played, the best one counts."""
    given = points([line.rank for line in lines])
    best: dict[str, float] = {}
    for line, own in zip(lines, given, strict=True):
        if line.matches:
            best[line.bot] = max(own, best.get(line.bot, 0.0))
    return best
