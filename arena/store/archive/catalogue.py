"""Which archives there are and what they hold, as the database knows it without opening a file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, select

from arena.store.tables import (
    archived_deals,
    archived_tournaments,
    archives,
    entrants,
    players,
    tournaments,
)

OF_BOT = (
    select(entrants.c.tournament)
    .join_from(entrants, players)
    .join(archived_tournaments, archived_tournaments.c.tournament == entrants.c.tournament)
    .where(players.c.bot == bindparam("of"), entrants.c.matches > 0)
    .limit(1)
)


@dataclass(frozen=True)
class Archive:
    """An archive file: its name and month, numbers of its first and last match, how many it has,
    the SHA-256 of the file, when the last of its matches ended, and when it was made."""

    id: int
    name: str
    month: int
    first: int
    last: int
    matches: int
    digest: bytes
    ended: float
    created: float


def every(conn: Connection) -> list[Archive]:
    """All archives, those with the newest matches first."""
    rows = conn.execute(select(archives).order_by(archives.c.first.desc()))
    return [Archive(**row._mapping) for row in rows]


def names(conn: Connection) -> list[str]:
    """The names of all archives, also in a database of an older version."""
    return list(conn.scalars(select(archives.c.name).order_by(archives.c.first.desc())))


def of_month(conn: Connection, month: int) -> list[Archive]:
    """The archives of a month, in order."""
    return [each for each in reversed(every(conn)) if each.month == month]


def of_tournament(conn: Connection, tournament: int) -> list[Archive]:
    """Those that have matches of a tournament, in the order of their matches."""
    row = archived_tournaments.c
    query = select(archives).join_from(archives, archived_tournaments)
    query = query.where(row.tournament == tournament).order_by(archives.c.first)
    return [Archive(**each._mapping) for each in conn.execute(query)]


def of_game(conn: Connection, game: str) -> list[Archive]:
    """Those that have matches of a game, in the order of their matches."""
    some = select(archived_tournaments.c.archive).where(archived_tournaments.c.game == game)
    query = select(archives).where(archives.c.id.in_(some)).order_by(archives.c.first)
    return [Archive(**each._mapping) for each in conn.execute(query)]


def last_position(conn: Connection, tournament: int) -> int | None:
    """The highest position of a tournament that is archived; None if none of it is."""
    row = archived_tournaments.c
    found = conn.scalar(select(func.max(row.last)).where(row.tournament == tournament))
    return None if found is None else int(found)


def count(conn: Connection, tournament: int | None = None) -> int:
    """How many matches of a tournament are archived, or of all that are listed by themselves."""
    row = archived_tournaments.c
    query = select(func.sum(row.matches))
    if tournament is not None:
        query = query.where(row.tournament == tournament)
    else:
        query = query.join_from(archived_tournaments, tournaments)
        query = query.where(tournaments.c.kind == "tournament")
    return int(conn.scalar(query) or 0)


def has_bot(conn: Connection, bot: int) -> bool:
    """Whether matches are archived of tournaments in which this bot has played."""
    return conn.execute(OF_BOT, {"of": bot}).first() is not None


def partial_deals(conn: Connection, of: Collection[int]) -> list[tuple[int, int]]:
    """The deals of these tournaments of which an archive has some matches and not all."""
    row = archived_deals.c
    query = select(row.tournament, row.deal).where(row.tournament.in_(of)).distinct()
    return [(tournament, deal) for tournament, deal in conn.execute(query)]


def of_partial_deal(conn: Connection, tournament: int, deal: int) -> int | None:
    """How many matches of a deal are archived; None if no archive has some of them and not all."""
    row = archived_deals.c
    query = select(func.sum(row.matches)).where(row.tournament == tournament, row.deal == deal)
    found = conn.scalar(query)
    return None if found is None else int(found)
