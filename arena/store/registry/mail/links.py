"""Links that work once, for a while. Only a digest is stored of what they have in them.

Used or not, a row stays for a day. Within a day a mailbox gets `MOST_A_DAY` links of a kind, so
that the arena floods no mailbox. A link lasts as long: after a flood of requests the last one works
until the next may be sent.
"""

from __future__ import annotations

import secrets
from typing import Literal, NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from arena.base.errors import LimitReached
from arena.store.registry.bots import digest
from arena.store.registry.mail.addresses import mailbox
from arena.store.tables import mail_links, mails

Kind = Literal["confirm", "reset"]

DAY_S = 86_400
LASTS_S = DAY_S
MOST_A_DAY = 5  # of a kind, to one mailbox


class Link(NamedTuple):
    """What a link is for."""

    account: int
    address: str


def make(conn: Connection, kind: Kind, account: int, address: str, now: float) -> str:
    """The secret of a new link; earlier ones of its kind stop working. Raises LimitReached."""
    row, key = mail_links.c, mailbox(address)
    conn.execute(delete(mail_links).where(row.created <= now - DAY_S, row.expires <= now))
    sent = select(func.count()).where(row.address_key == key, row.kind == kind)
    if (conn.scalar(sent.where(row.created > now - DAY_S)) or 0) >= MOST_A_DAY:
        raise LimitReached(f"{MOST_A_DAY} links went to this address within a day, the most.")
    void(conn, account, now, kind)
    secret = secrets.token_urlsafe(32)
    values = {"account": account, "kind": kind, "address": address, "address_key": key}
    lasts = {"created": now, "expires": now + LASTS_S}
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
    """Ends the links of an account of one kind, or all of them, including unsent ones."""
    row = mail_links.c
    mine = [row.account == account, row.expires > now]
    if kind:
        mine.append(row.kind == kind)
    else:
        waits = mails.c.account == account, mails.c.kind == "confirm"
        conn.execute(delete(mails).where(*waits))
    conn.execute(update(mail_links).where(*mine).values(expires=now))


def forget(conn: Connection, secret: str) -> None:
    """Removes a link that was never sent, so that it does not count."""
    conn.execute(delete(mail_links).where(mail_links.c.digest == digest(secret)))
