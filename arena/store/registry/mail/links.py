"""Links that work once, for a while. Only a digest is stored of what they have in them.

Used or not, a row stays for a day: so many links go to one address in that time, and no more, so
that nobody can have the arena flood a mailbox.
"""

from __future__ import annotations

import secrets
from typing import Literal, NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from arena.errors import LimitReached
from arena.store.registry.bots import digest
from arena.store.tables import mail_links

Kind = Literal["confirm", "reset"]

LASTS_S: dict[Kind, int] = {"confirm": 86_400, "reset": 3_600}
DAY_S = 86_400
MOST_A_DAY = 5  # to one address


class Link(NamedTuple):
    """What a link is for."""

    account: int
    address: str


def make(conn: Connection, kind: Kind, account: int, address: str, now: float) -> str:
    """The secret of a new link; earlier ones of its kind stop working. Raises LimitReached."""
    row, key = mail_links.c, address.lower()
    conn.execute(delete(mail_links).where(row.created <= now - DAY_S, row.expires <= now))
    sent = select(func.count()).select_from(mail_links).where(row.address_key == key)
    if (conn.scalar(sent.where(row.created > now - DAY_S)) or 0) >= MOST_A_DAY:
        raise LimitReached(f"{MOST_A_DAY} links went to this address within a day, the most.")
    void(conn, account, now, kind)
    secret = secrets.token_urlsafe(32)
    values = {"account": account, "kind": kind, "address": address, "address_key": key}
    lasts = {"created": now, "expires": now + LASTS_S[kind]}
    conn.execute(mail_links.insert().values(digest=digest(secret), **values, **lasts))
    return secret


def find(conn: Connection, kind: Kind, secret: str, now: float) -> Link | None:
    """What the link with this secret is for, if it still works."""
    row = mail_links.c
    query = select(row.account, row.address).where(row.digest == digest(secret), row.kind == kind)
    found = conn.execute(query.where(row.expires > now)).first()
    return Link(*found) if found else None


def use(conn: Connection, kind: Kind, secret: str, now: float) -> Link | None:
    """The same; it does not work again, whoever is at it at the same moment."""
    row = mail_links.c
    mine = row.digest == digest(secret), row.kind == kind, row.expires > now
    used = update(mail_links).where(*mine).values(expires=now)
    found = conn.execute(used.returning(row.account, row.address)).first()
    return Link(*found) if found else None


def void(conn: Connection, account: int, now: float, kind: Kind | None = None) -> None:
    """Ends the links of an account, all or those of a kind."""
    row = mail_links.c
    mine = [row.account == account, row.expires > now]
    if kind:
        mine.append(row.kind == kind)
    conn.execute(update(mail_links).where(*mine).values(expires=now))


def forget(conn: Connection, secret: str) -> None:
    """Removes a link that was never sent, so that it does not count."""
    conn.execute(delete(mail_links).where(mail_links.c.digest == digest(secret)))
