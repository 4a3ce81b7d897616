"""The winners of tournaments, for a list of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection

from arena.store.database_cache import DatabaseCache
from arena.store.reports.standings import Standing, standings
from arena.store.tournaments.tournaments import Tournament

Value = TypeVar("Value")

_cached: DatabaseCache[tuple[str, ...]] = DatabaseCache(1024)


def winners(conn: Connection, among: Iterable[Tournament]) -> dict[int, tuple[str, ...]]:
    """By number, the first bots in the standings of each finished tournament with matches; several
    if they are equal."""
    return of_finished(conn, among, _cached, _first)


def of_finished(
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
