"""The standings of a series over its finished tournaments."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from sqlalchemy import Connection

from arena.store.database_cache import DatabaseCache
from arena.store.reports.standings import standings
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats.series import SeasonLine, points, season

_cached: DatabaseCache[dict[str, float]] = DatabaseCache(1024)


def season_of(conn: Connection, of: Iterable[Tournament], counted: int) -> list[SeasonLine]:
    """The standings over these tournaments of a series, of which the best `counted` results of
    each bot count (0: all)."""
    results = {
        each.id: _cached.get(
            conn, (each.id,), partial(_version, each), partial(_points, tournament=each.id), dict
        )
        for each in of
        if each.state == "finished" and each.played
    }
    return season(results, counted)


def _version(tournament: Tournament, _: Connection) -> tuple[float | None, int]:
    return tournament.finished, tournament.played


def _points(conn: Connection, tournament: int) -> dict[str, float]:
    """The points of each bot. If several versions of it played, the best one counts."""
    lines = standings(conn, tournament)
    given = points([line.rank for line in lines])
    best: dict[str, float] = {}
    for line, own in zip(lines, given, strict=True):
        if line.matches:
            best[line.bot] = max(own, best.get(line.bot, 0.0))
    return best
