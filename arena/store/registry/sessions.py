"""Who is signed in on the dashboard: one record for each browser, so that it can be ended.

The browser holds a random secret in its cookie, the database only the SHA-256 digest of it: who
reads the database cannot sign in with what they find.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select, update

from arena.base import instant
from arena.store.registry.bots import digest
from arena.store.tables import sessions
from arena.store.upsert import insert

LASTS_S = 30 * 86_400
MOST = 20  # of one account; whoever was away longest makes room
SEEN_EVERY_S = 600  # `seen` is that exact: not every page shall write to the database


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser in which an account is signed in. Times are Unix seconds."""

    id: int
    account: int
    browser: str  # in words, e.g. "Firefox on Linux"
    created: float
    seen: float
    expires: float


def begin(conn: Connection, account: int, browser: str, now: float | None = None) -> str:
    """A new session; gives the secret for its cookie, which is stored nowhere.

    Sessions that have expired are deleted, and those of the account beyond `MOST`.
    """
    now = instant.now() if now is None else now
    conn.execute(delete(sessions).where(sessions.c.expires <= now))
    _make_room(conn, account)
    secret = secrets.token_urlsafe(32)
    row = {"account": account, "browser": browser, "created": now, "seen": now}
    conn.execute(insert(conn, sessions).values(**row, digest=digest(secret), expires=now + LASTS_S))
    return secret


def find(conn: Connection, secret: str, now: float | None = None) -> BrowserSession | None:
    """The session that has this secret, unless it was ended or has expired."""
    now = instant.now() if now is None else now
    row = conn.execute(_all().where(sessions.c.digest == digest(secret))).first()
    return None if row is None or row.expires <= now else BrowserSession(*row)


def of_account(conn: Connection, account: int, now: float | None = None) -> list[BrowserSession]:
    """Where an account is signed in, whoever was there last first."""
    now = instant.now() if now is None else now
    query = _all().where(sessions.c.account == account, sessions.c.expires > now)
    rows = conn.execute(query.order_by(sessions.c.seen.desc(), sessions.c.id.desc()))
    return [BrowserSession(*row) for row in rows]


def is_stale(session: BrowserSession, now: float | None = None) -> bool:
    """Whether it is time to store again when the session was last seen."""
    return (instant.now() if now is None else now) - session.seen >= SEEN_EVERY_S


def touch(conn: Connection, session: int, now: float | None = None) -> None:
    """Stores that the session was seen just now."""
    seen = instant.now() if now is None else now
    conn.execute(update(sessions).where(sessions.c.id == session).values(seen=seen))


def end(conn: Connection, secret: str) -> None:
    """Ends one session; ending what is no session does no harm."""
    conn.execute(delete(sessions).where(sessions.c.digest == digest(secret)))


def end_all(conn: Connection, account: int) -> None:
    """Ends all sessions of an account."""
    conn.execute(delete(sessions).where(sessions.c.account == account))


def _make_room(conn: Connection, account: int) -> None:
    newest = select(sessions.c.id).where(sessions.c.account == account)
    newest = newest.order_by(sessions.c.seen.desc(), sessions.c.id.desc()).limit(MOST - 1)
    others = sessions.c.account == account, sessions.c.id.not_in(newest)
    conn.execute(delete(sessions).where(*others))


def _all() -> Any:
    row = sessions.c
    return select(row.id, row.account, row.browser, row.created, row.seen, row.expires)
