"""Lists of tournaments for pages: names, upcoming and finished ones."""

from collections.abc import Collection

from sqlalchemy import Connection, bindparam, func, select

from arena.store.tables import tournaments
from arena.store.tournaments.tournaments import Tournament, decode_spec, read, selected

_row = tournaments.c
LISTED = selected().where(_row.kind == "tournament")
SPECS = select(_row.id, _row.spec).where(_row.id.in_(bindparam("numbers", expanding=True)))
NEWEST = (
    select(_row.id, _row.spec)
    .where(_row.kind == "tournament")
    .order_by(_row.id.desc())
    .limit(bindparam("most"))
)


def names(conn: Connection, numbers: Collection[int]) -> dict[int, str]:
    """The names of these tournaments, by number."""
    rows = conn.execute(SPECS, {"numbers": list(numbers)})
    return {number: decode_spec(spec).name for number, spec in rows}


def newest_names(conn: Connection, limit: int) -> dict[int, str]:
    """The names of the `limit` newest rated tournaments by number, newest first."""
    rows = conn.execute(NEWEST, {"most": limit})
    return {number: decode_spec(spec).name for number, spec in rows}


def upcoming(conn: Connection, now: float, limit: int) -> list[Tournament]:
    """Up to `limit` tournaments that wait for their start time, the next one first."""
    query = LISTED.where(_row.state == "waiting", _row.starts_at > now)
    return read(conn, query.order_by(_row.starts_at, _row.id).limit(limit))


def latest_started(conn: Connection, limit: int) -> list[Tournament]:
    """Up to `limit` tournaments that have started, the latest first."""
    query = LISTED.where(_row.started.is_not(None))
    return read(conn, query.order_by(_row.started.desc(), _row.id.desc()).limit(limit))


def latest_finished(conn: Connection, limit: int) -> list[Tournament]:
    """Up to `limit` finished tournaments, the latest first."""
    query = LISTED.where(_row.state == "finished")
    return read(conn, query.order_by(_row.finished.desc(), _row.id.desc()).limit(limit))


def called_off(conn: Connection, since: float, limit: int) -> list[Tournament]:
    """Up to `limit` tournaments that were cancelled before they started, with a start time after
    `since` (Unix seconds); the earliest first."""
    query = LISTED.where(_row.state == "cancelled", _row.started.is_(None), _row.starts_at > since)
    return read(conn, query.order_by(_row.starts_at, _row.id).limit(limit))


def last_finished(conn: Connection) -> float:
    """When the latest tournament finished (Unix seconds), or 0."""
    ended = select(func.max(tournaments.c.finished)).where(tournaments.c.state == "finished")
    return float(conn.scalar(ended) or 0.0)
