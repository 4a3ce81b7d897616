"""One-time links in e-mails. Only a digest of their secret is stored.

Used or not, a row stays for a day, because a mailbox gets at most `MOST_A_DAY` links of a kind in a
day. A link lasts equally long: after a flood of requests, the last one works until the next may be
sent.
"""

import secrets
from typing import Literal, NamedTuple

from sqlalchemy import Connection, delete, func, select, update

from arena.base.errors import LimitReached
from arena.store.registry.mail.addresses import mailbox
from arena.store.registry.tokens import digest
from arena.store.tables import mail_links, mails

Kind = Literal["confirm", "reset"]

DAY_S = 86_400
LASTS_S = DAY_S
MOST_A_DAY = 5  # of a kind, per mailbox


class Link(NamedTuple):
    """The purpose of a link."""

    account: int
    address: str


def make(conn: Connection, kind: Kind, account: int, address: str, now: float) -> str:
    """Returns the secret of a new link and voids earlier ones of its kind. Raises LimitReached."""
    row, key = mail_links.c, mailbox(address)
    conn.execute(delete(mail_links).where(row.created <= now - DAY_S, row.expires <= now))
    sent = select(func.count()).where(row.address_key == key, row.kind == kind)
    if (conn.scalar(sent.where(row.created > now - DAY_S)) or 0) >= MOST_A_DAY:
        raise LimitReached(
            f"No link was sent. This address already got {MOST_A_DAY} links within a day, the "
            "maximum. Try again tomorrow."
        )
    void(conn, account, now, kind)
    secret = secrets.token_urlsafe(32)
    values = {"account": account, "kind": kind, "address": address, "address_key": key}
    lasts = {"created": now, "expires": now + LASTS_S}
    conn.execute(mail_links.insert().values(digest=digest(secret), **values, **lasts))
    return secret


def find(conn: Connection, kind: Kind, secret: str, now: float) -> Link | None:
    """The link with this secret, or None if it does not work."""
    row = mail_links.c
    query = select(row.account, row.address).where(row.digest == digest(secret), row.kind == kind)
    found = conn.execute(query.where(row.expires > now)).first()
    return Link(*found) if found else None


def use(conn: Connection, kind: Kind, secret: str, now: float) -> Link | None:
    """Like `find`, but voids the link, so that only one of several simultaneous calls gets it."""
    row = mail_links.c
    mine = row.digest == digest(secret), row.kind == kind, row.expires > now
    used = update(mail_links).where(*mine).values(expires=now)
    found = conn.execute(used.returning(row.account, row.address)).first()
    return Link(*found) if found else None


def void(conn: Connection, account: int, now: float, kind: Kind | None = None) -> None:
    """Voids an account's links of one kind; without a kind all, including unsent ones."""
    row = mail_links.c
    mine = [row.account == account, row.expires > now]
    if kind:
        mine.append(row.kind == kind)
    else:
        waits = mails.c.account == account, mails.c.kind == "confirm"
        conn.execute(delete(mails).where(*waits))
    conn.execute(update(mail_links).where(*mine).values(expires=now))


def forget(conn: Connection, secret: str) -> None:
    """Removes a link that was never sent, so that it does not count towards the limit."""
    conn.execute(delete(mail_links).where(mail_links.c.digest == digest(secret)))
