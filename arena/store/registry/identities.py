"""Sign-ins with other providers; each belongs to one account.

A provider identifies a user by a *subject*, which never changes. Addresses and names there do
change, so accounts are not looked up by them.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from arena.base.errors import AlreadyExists
from arena.store.dialects import insert
from arena.store.tables import identities

TAKEN = "This sign-in belongs to another account. Sign in with it, and remove it there first."


@dataclass(frozen=True, slots=True)
class Identity:
    """A user at a provider. `subject` never changes; `label` is what to show."""

    provider: str
    subject: str
    label: str


def find(conn: Connection, who: Identity) -> int | None:
    """The account that this identity signs in to, or None."""
    row = identities.c
    mine = row.provider == who.provider, row.subject == who.subject
    return conn.scalar(select(row.account).where(*mine))


def of_account(conn: Connection, account: int) -> list[Identity]:
    """The identities of an account, by provider."""
    row = identities.c
    query = select(row.provider, row.subject, row.label).where(row.account == account)
    return [Identity(*found) for found in conn.execute(query.order_by(row.provider))]


def link(conn: Connection, account: int, who: Identity, now: float) -> None:
    """Lets this identity sign in to the account, in place of any other one of its provider.
    Raises AlreadyExists if it signs in to another account."""
    if find(conn, who) not in (None, account):
        raise AlreadyExists(TAKEN)
    unlink(conn, account, who.provider)
    row = {"provider": who.provider, "subject": who.subject, "label": who.label}
    made = insert(conn, identities).values(**row, account=account, created=now)
    if not conn.execute(made.on_conflict_do_nothing()).rowcount:  # another transaction was faster
        raise AlreadyExists(TAKEN)


def unlink(conn: Connection, account: int, provider: str) -> None:
    row = identities.c
    conn.execute(delete(identities).where(row.account == account, row.provider == provider))
