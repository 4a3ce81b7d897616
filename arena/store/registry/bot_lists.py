"""Lists of registered bots for pages, and how many matches they played."""

from collections.abc import Collection

from sqlalchemy import Connection, func, select

from arena.store.registry.bots import ALL_VERSIONS, NEWEST_VERSIONS, RegisteredBot, read
from arena.store.tables import bots, entrants, players, tournaments


def newest(conn: Connection, limit: int) -> list[RegisteredBot]:
    """The `limit` newest bots of authors, newest first; without retired bots."""
    query = NEWEST_VERSIONS.where(bots.c.kind == "bot", bots.c.retired.is_(None))
    return read(conn, query.order_by(bots.c.id.desc()).limit(limit))


def older_versions(conn: Connection, each: int) -> list[RegisteredBot]:
    """Of every bot that is not retired, up to `each` versions before its newest, newest first."""
    place = func.row_number().over(partition_by=players.c.bot, order_by=players.c.id.desc())
    ranked = (
        select(players.c.id, place.label("place"))
        .join(bots)
        .where(bots.c.kind != "guest", bots.c.retired.is_(None))
        .subquery()
    )
    query = ALL_VERSIONS.join(ranked, ranked.c.id == players.c.id)
    query = query.where(ranked.c.place.between(2, each + 1))
    return read(conn, query.order_by(bots.c.name_key, players.c.id.desc()))


def page(conn: Connection, limit: int, after: str = "") -> tuple[list[RegisteredBot], str]:
    """A page of `limit` bots by name, after the name `after`; without guests and retired bots.
    Also returns the next page's `after`, empty on the last page."""
    query = NEWEST_VERSIONS.where(bots.c.kind != "guest", bots.c.retired.is_(None))
    query = query.where(bots.c.name_key > after.lower()).order_by(bots.c.name_key)
    rows = read(conn, query.limit(limit + 1))
    listed = rows[:limit]
    return listed, listed[-1].name.lower() if len(rows) > limit else ""


def match_counts(conn: Connection, of: Collection[int]) -> dict[int, int]:
    """By bot id, the number of finished tournament matches of all versions, rated or not; bots
    without a match are left out."""
    rows = conn.execute(
        select(players.c.bot, func.sum(entrants.c.matches))
        .join_from(entrants, players)
        .join(tournaments, tournaments.c.id == entrants.c.tournament)
        .where(tournaments.c.kind == "tournament", players.c.bot.in_(of))
        .group_by(players.c.bot)
    )
    return {bot: int(count) for bot, count in rows if count}


def all_names(conn: Connection) -> list[str]:
    """The names of all bots, sorted, without guests and retired bots."""
    listed = (bots.c.kind != "guest") & bots.c.retired.is_(None)
    return list(conn.scalars(select(bots.c.name).where(listed).order_by(bots.c.name_key)))
