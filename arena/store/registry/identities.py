"""Who people are elsewhere: sign-ins at other providers, each of one account.

A provider's word for somebody is its *subject*, which never changes; addresses and names there do,
so nobody is found by them.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from arena.base.errors import AlreadyExists
from arena.store.tables import identities
from arena.store.upsert import insert

TAKEN = "This sign-in belongs to another account here: sign in with it, and remove it there first."


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody at a provider, whose `subject` there is theirs for ever; `label` is what to show."""

    provider: str
    subject: str
    label: str


def find(conn: Connection, who: Identity) -> int | None:
    """The account that they sign in to, if there is one."""
    row = identities.c
    mine = row.provider == who.provider, row.subject == who.subject
    return conn.scalar(select(row.account).where(*mine))


def of_account(conn: Connection, account: int) -> list[Identity]:
    """How an account is signed in to from elsewhere, by provider."""
    row = identities.c
    query = select(row.provider, row.subject, row.label).where(row.account == account)
    return [Identity(*found) for found in conn.execute(query.order_by(row.provider))]


def link(conn: Connection, account: int, who: Identity, now: float) -> None:
    """Lets them sign in to the account, instead of whoever did so from that provider. Raises
    AlreadyExists if they sign in to another one."""
    if find(conn, who) not in (None, account):
        raise AlreadyExists(TAKEN)
    unlink(conn, account, who.provider)
    row = {"provider": who.provider, "subject": who.subject, "label": who.label}
    made = insert(conn, identities).values(**row, account=account, created=now)
    if not conn.execute(made.on_conflict_do_nothing()).rowcount:  # somebody was faster
        raise AlreadyExists(TAKEN)


def unlink(conn: Connection, account: int, provider: str) -> None:
    row = identities.c
    conn.execute(delete(identities).where(row.account == account, row.provider == provider))
