"""The e-mail addresses of accounts. Only confirmed addresses are stored.

Several accounts may share an address: an error would reveal that the address has an account.
"""

import re
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, select, update

from arena.base.errors import InvalidRequest
from arena.store.dialects import upsert
from arena.store.registry.names import printable
from arena.store.tables import emails

Notice = Literal["finished", "offline"]  # notifications that users can switch off

LONGEST = 254
# The same check as in browsers.
ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}"
    r"@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+"
)
SHARED = 3  # accounts with the same address that get an e-mail when a password is forgotten


@dataclass(frozen=True, slots=True)
class Email:
    """A confirmed address, and the notifications it gets."""

    account: int
    address: str
    finished: bool = True
    offline: bool = True


def check_address(address: str) -> str:
    """Returns the address if it is valid. Raises InvalidRequest."""
    text = address.strip()
    if len(text) > LONGEST or not ADDRESS.fullmatch(text):
        raise InvalidRequest(f'"{printable(text)}" is not an e-mail address.')
    return text


def mailbox(address: str) -> str:
    """The mailbox of an address, to count by: ada+cup@mail.example is Ada's, too."""
    name, _, domain = address.strip().lower().partition("@")
    return f"{name.partition('+')[0]}@{domain}"


def of_account(conn: Connection, account: int) -> Email | None:
    """The confirmed address of an account, or None."""
    row = emails.c
    query = select(row.account, row.address, row.finished, row.offline)
    found = conn.execute(query.where(row.account == account)).first()
    return Email(*found) if found else None


def accounts_at(conn: Connection, address: str) -> list[int]:
    """Up to `SHARED` accounts that have confirmed this address."""
    row = emails.c
    query = select(row.account).where(row.address_key == address.strip().lower())
    return list(conn.scalars(query.order_by(row.account).limit(SHARED)))


def confirm(conn: Connection, account: int, address: str, now: float) -> str:
    """Sets the address of an account; returns the one before, or an empty string."""
    before = of_account(conn, account)
    said = before or Email(account, address)
    row = {"account": account, "address": address, "address_key": address.lower()}
    wanted = {"finished": said.finished, "offline": said.offline}
    conn.execute(upsert(conn, emails).values(**row, **wanted, confirmed=now))
    return before.address if before else ""


def remove(conn: Connection, account: int) -> None:
    conn.execute(delete(emails).where(emails.c.account == account))


def choose(conn: Connection, account: int, **wanted: bool) -> None:
    """Switches notifications on or off, by name."""
    conn.execute(update(emails).where(emails.c.account == account).values(**wanted))
