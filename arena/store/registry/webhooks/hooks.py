"""Webhooks: URLs to which the arena sends a message when something happens.

The secret that signs messages is not stored. It is derived from the arena's key and a webhook's
salt, so a copy of the database cannot sign messages.
"""

import base64
import hmac
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from arena.base.errors import InvalidRequest, LimitReached, NotFound
from arena.store.tables import accounts, webhook_deliveries, webhooks

SALT_BYTES = 24
PREFIX = "whsec_"  # of secrets, as in the Standard Webhooks specification


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook. `note` says why it was switched off automatically; `failing_since` is the time of
    the first failure after the last success (Unix seconds)."""

    id: int
    account: int
    url: str
    salt: bytes
    finished: bool
    offline: bool
    created: float
    enabled: bool
    note: str
    failing_since: float | None
    given_up: int


_COLUMNS = tuple(webhooks.c[name] for name in Webhook.__slots__)


def secret_of(key: str, salt: bytes) -> str:
    """The secret of the webhook with this salt; `key` is the arena's."""
    made = hmac.digest(key.encode(), b"webhook " + salt, "sha256")
    return PREFIX + base64.b64encode(made).decode()


def add(
    conn: Connection,
    account: int,
    url: str,
    now: float,
    most: int,
    *,
    finished: bool,
    offline: bool,
) -> Webhook:
    """Adds a webhook to an account; it may have `most`. Raises InvalidRequest, LimitReached."""
    if not (finished or offline):
        raise InvalidRequest("Choose at least one event.")
    # The row lock makes two simultaneous forms count each other.
    conn.execute(select(accounts.c.id).where(accounts.c.id == account).with_for_update())
    mine = select(func.count()).select_from(webhooks).where(webhooks.c.account == account)
    if (conn.scalar(mine) or 0) >= most:
        raise LimitReached(f"You already have {most} webhooks, the maximum. Delete one first.")
    row = {"account": account, "url": url, "salt": secrets.token_bytes(SALT_BYTES)}
    state = {"shown": False, "enabled": True, "note": "", "given_up": 0, "created": now}
    made = insert(webhooks).values(**row, **state, finished=finished, offline=offline)
    number = conn.execute(made.returning(webhooks.c.id)).scalar_one()
    return get(conn, account, number)


def of_account(conn: Connection, account: int) -> list[Webhook]:
    """The webhooks of an account, oldest first."""
    query = select(*_COLUMNS).where(webhooks.c.account == account).order_by(webhooks.c.id)
    return [Webhook(*row) for row in conn.execute(query)]


def get(conn: Connection, account: int, number: int) -> Webhook:
    """A webhook of this account. Raises NotFound, even if it belongs to another account."""
    mine = webhooks.c.id == number, webhooks.c.account == account
    found = conn.execute(select(*_COLUMNS).where(*mine)).first()
    if found is None:
        raise NotFound("You have no such webhook.")
    return Webhook(*found)


def has_unshown(conn: Connection, account: int) -> bool:
    """Whether the account has a webhook whose secret was never shown."""
    row = webhooks.c
    unseen = select(row.id).where(row.account == account, row.shown.is_(False))
    return conn.scalar(unseen.limit(1)) is not None


def take_unshown(conn: Connection, account: int) -> set[int]:
    """Returns the numbers of these webhooks and marks them as shown."""
    row = webhooks.c
    unseen = update(webhooks).where(row.account == account, row.shown.is_(False))
    return set(conn.scalars(unseen.values(shown=True).returning(row.id)))


def renew_secret(conn: Connection, hook: Webhook) -> None:
    """Replaces the secret of a webhook; the old one signs nothing from now on."""
    new = {"salt": secrets.token_bytes(SALT_BYTES), "shown": False}
    conn.execute(update(webhooks).where(webhooks.c.id == hook.id).values(**new))


def switch(conn: Connection, hook: Webhook, *, on: bool) -> None:
    """Enables a webhook and clears its errors, or disables it and drops waiting deliveries."""
    clean = {"note": "", "failing_since": None, "given_up": 0} if on else {"note": ""}
    conn.execute(update(webhooks).where(webhooks.c.id == hook.id).values(enabled=on, **clean))
    if not on:
        drop_waiting(conn, hook.id)


def drop_waiting(conn: Connection, number: int) -> None:
    """Ends the waiting deliveries of a webhook that is switched off."""
    row = webhook_deliveries.c
    waiting = update(webhook_deliveries).where(row.webhook == number, row.due.is_not(None))
    conn.execute(waiting.values(due=None, error="The webhook was switched off."))


def remove(conn: Connection, hook: Webhook) -> None:
    """Deletes a webhook with its deliveries. Takes its row lock first, as senders do."""
    conn.execute(select(webhooks.c.id).where(webhooks.c.id == hook.id).with_for_update())
    conn.execute(delete(webhook_deliveries).where(webhook_deliveries.c.webhook == hook.id))
    conn.execute(delete(webhooks).where(webhooks.c.id == hook.id))


def remove_all(conn: Connection, account: int) -> None:
    for hook in of_account(conn, account):
        remove(conn, hook)
