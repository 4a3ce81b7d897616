"""The winners of finished tournaments, and the standings of a series over these."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection

from arena.store.cache import DatabaseCache
from arena.store.reports.standings import Standing, standings
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats.series import SeasonLine, points, season

Value = TypeVar("Value")

_cached: DatabaseCache[tuple[str, ...]] = DatabaseCache(1024)
_cached_points: DatabaseCache[dict[str, float]] = DatabaseCache(1024)


def winners(conn: Connection, among: Iterable[Tournament]) -> dict[int, tuple[str, ...]]:
    """By number, the first bots in the standings of each finished tournament with matches; several
    if they are equal."""
    return _of_finished(conn, among, _cached, _first)


def _of_finished(
    conn: Connection,
    among: Iterable[Tournament],
    cached: DatabaseCache[Value],
    value: Callable[[list[Standing]], Value],
) -> dict[int, Value]:
    """By number, a cached value of the standings of each finished tournament with matches."""
    return {
        each.id: cached.get(
            conn,
            (each.id,),
            partial(_version, each),
            partial(standings, tournament=each.id),
            value,
        )
        for each in among
        if each.state == "finished" and each.played
    }


def _version(tournament: Tournament, _: Connection) -> tuple[float | None, int]:
    return tournament.finished, tournament.played


def _first(lines: list[Standing]) -> tuple[str, ...]:
    return tuple(line.called for line in lines if line.rank == 1)


def season_of(conn: Connection, of: Iterable[Tournament], counted: int) -> list[SeasonLine]:
    """The standings over these tournaments of a series, of which the best `counted` results of
    each bot count (0: all)."""
    results = _of_finished(conn, of, _cached_points, _points)
    return season(results, counted)


def _points(lines: list[Standing]) -> dict[str, float]:
    """The points of each bot. If several versions of it played, the best one counts."""
    given = points([line.rank for line in lines])
    best: dict[str, float] = {}
    for line, own in zip(lines, given, strict=True):
        if line.matches:
            best[line.bot] = max(own, best.get(line.bot, 0.0))
    return best
