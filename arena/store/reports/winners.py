"""The winners of tournaments, for a list of these."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from sqlalchemy import Connection

from arena.store.database_cache import DatabaseCache
from arena.store.reports.standings import standings
from arena.store.tournaments.tournaments import Tournament

_cached: DatabaseCache[tuple[str, ...]] = DatabaseCache(1024)


def winners(conn: Connection, among: Iterable[Tournament]) -> dict[int, tuple[str, ...]]:
    """By number, the first bots in the standings of each finished tournament with matches; several
    if they are equal."""
    return {
        each.id: _cached.get(
            conn,
            (each.id,),
            partial(_version, each),
            partial(_first, tournament=each.id),
            tuple,
        )
        for each in among
        if each.state == "finished" and each.played
    }


def _version(tournament: Tournament, _: Connection) -> tuple[float | None, int]:
    return tournament.finished, tournament.played


def _first(conn: Connection, tournament: int) -> list[str]:
    return [line.called for line in standings(conn, tournament) if line.rank == 1]
