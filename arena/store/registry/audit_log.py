"""The audit log: what organisers and administrators did, to what, when, and from where.

The transaction of a change also adds its entry, so the log is complete.
Changes that authors make to their own bots are not logged: that keeps untrusted users from filling
the log.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, func, insert, select

from arena.base import instant
from arena.store.tables import audit_log

Source = Literal["command line", "Control", "dashboard"]

MOST = 100_000  # entries; older ones are deleted
LONGEST = 300  # characters of the details


@dataclass(frozen=True)
class Actor:
    """The author and the source of a change: a local user, the admin token, or an account."""

    who: str
    source: Source


@dataclass(frozen=True)
class AuditEntry:
    """A logged change, at `time` (Unix seconds)."""

    id: int
    time: float
    who: str
    source: str
    action: str
    subject: str
    details: str


def note(
    conn: Connection,
    actor: Actor | None,
    action: str,
    subject: str,
    details: str = "",
    now: float | None = None,
) -> None:
    """Logs a change of this transaction, for example "cancelled" "tournament 7". Does nothing
    without an actor."""
    if actor is None:
        return
    row = {
        "time": instant.now() if now is None else now,
        "who": actor.who,
        "source": actor.source,
        "action": action,
        "subject": subject,
        "details": details[:LONGEST],
    }
    newest = conn.execute(insert(audit_log).returning(audit_log.c.id), row).scalar_one()
    conn.execute(delete(audit_log).where(audit_log.c.id <= newest - MOST))


def entries(
    conn: Connection, limit: int, *, since: float | None = None, who: str = ""
) -> Sequence[AuditEntry]:
    """The newest entries, newest first: since a time (Unix seconds), by an actor in any case."""
    query = select(audit_log).order_by(audit_log.c.id.desc())
    if since is not None:
        query = query.where(audit_log.c.time >= since)
    if who:
        query = query.where(func.lower(audit_log.c.who) == who.lower())
    return [AuditEntry(**row._mapping) for row in conn.execute(query.limit(limit))]
