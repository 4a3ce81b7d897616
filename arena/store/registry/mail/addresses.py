"""The e-mail addresses of accounts. One is there only when its owner has confirmed it.

Several accounts may have the same address: that one is taken already would tell strangers that
there is an account.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, select, update

from arena.base.errors import InvalidRequest
from arena.store.registry.bots import printable
from arena.store.tables import emails
from arena.store.upsert import upsert

Notice = Literal["finished", "offline"]  # what people may be told, and may not want to be

LONGEST = 254
# As browsers check it.
ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}"
    r"@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+"
)
SHARED = 3  # accounts of one address that are written to when a password is forgotten


@dataclass(frozen=True, slots=True)
class Email:
    """A confirmed address, and what is sent there."""

    account: int
    address: str
    finished: bool = True
    offline: bool = True


def check_address(address: str) -> str:
    """The address, if it can be one. Raises InvalidRequest."""
    text = address.strip()
    if len(text) > LONGEST or not ADDRESS.fullmatch(text):
        raise InvalidRequest(f'"{printable(text)}" is not an e-mail address.')
    return text


def mailbox(address: str) -> str:
    """The mailbox that an address leads to, for counts: ada+cup@mail.example is Ada's, too."""
    name, _, domain = address.strip().lower().partition("@")
    return f"{name.partition('+')[0]}@{domain}"


def of_account(conn: Connection, account: int) -> Email | None:
    """The confirmed address of an account, if it has one."""
    row = emails.c
    query = select(row.account, row.address, row.finished, row.offline)
    found = conn.execute(query.where(row.account == account)).first()
    return Email(*found) if found else None


def accounts_at(conn: Connection, address: str) -> list[int]:
    """The accounts that have confirmed this address, so many as are written to."""
    row = emails.c
    query = select(row.account).where(row.address_key == address.strip().lower())
    return list(conn.scalars(query.order_by(row.account).limit(SHARED)))


def confirm(conn: Connection, account: int, address: str, now: float) -> str:
    """Makes the address that of the account; gives the one that it had before, else nothing."""
    before = of_account(conn, account)
    said = before or Email(account, address)
    row = {"account": account, "address": address, "address_key": address.lower()}
    wanted = {"finished": said.finished, "offline": said.offline}
    conn.execute(upsert(conn, emails).values(**row, **wanted, confirmed=now))
    return before.address if before else ""


def remove(conn: Connection, account: int) -> None:
    """Forgets the address of an account."""
    conn.execute(delete(emails).where(emails.c.account == account))


def choose(conn: Connection, account: int, **wanted: bool) -> None:
    """Switches notices on or off, by their names."""
    conn.execute(update(emails).where(emails.c.account == account).values(**wanted))
