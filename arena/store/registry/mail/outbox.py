"""E-mails to be sent. The code that causes one adds a row in its transaction. The dashboard sends
it later (`dashboard/mail`), and retries if that fails.

A row contains no secret: links are created when the e-mail is sent.
"""

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Select, bindparam, delete, func, insert, literal, select, update

from arena.base.errors import LimitReached
from arena.store.registry.mail.addresses import Notice
from arena.store.registry.webhooks.deliveries import concerned
from arena.store.tables import bots, emails, mails

# "confirm": the address to be confirmed. "reset": the name or address that someone who forgot a
# password entered, which may be unknown. "password": it was changed. "moved": the former address.
# "invited": the number of the invitation.
Kind = Literal["confirm", "reset", "password", "moved", "finished", "offline", "invited"]

MOST = 10_000  # e-mails waiting; beyond it, none that users can request are accepted
ASKED_FOR: tuple[Kind, ...] = ("confirm", "reset", "invited")
LEASE_S = 300.0  # a sender that takes longer has died
AGAIN_S = (60, 300, 1_800, 7_200, 21_600)  # wait after each failed attempt
TOO_LATE_S = 86_400  # older e-mails are dropped

DUE = select(mails.c.id).where(mails.c.due <= bindparam("now")).limit(1)
_NOTICE = ["kind", "account", "about", "created", "due", "attempts"]

FULL = "Too many e-mails are waiting to be sent. Try again in a few minutes."


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail to be sent; `attempts` includes the current one."""

    id: int
    kind: Kind
    account: int | None
    about: str
    created: float
    attempts: int


def add(
    conn: Connection,
    kind: Kind,
    account: int | None,
    about: str,
    now: float,
    due: float | None = None,
) -> None:
    """Queues an e-mail, to be sent at `due` or else at once. Raises LimitReached for a requested
    one when too many are waiting."""
    if kind in ASKED_FOR and count_waiting(conn) >= MOST:
        raise LimitReached(FULL)
    row = {"kind": kind, "account": account, "about": about, "created": now}
    conn.execute(insert(mails).values(**row, due=due or now, attempts=0))


def add_finished(conn: Connection, tournament: int, now: float) -> None:
    """Notifies those concerned that a tournament is finished, if they have an address and want to
    know."""
    told = _notices("finished", str(tournament), now)
    told = told.where(concerned(tournament, emails.c.account))
    conn.execute(insert(mails).from_select(_NOTICE, told))


def add_offline(conn: Connection, bot: int, now: float) -> None:
    """Notifies a bot's owner that it is not connected, if they want to know."""
    author = select(bots.c.owner).where(bots.c.id == bot)
    told = _notices("offline", str(bot), now).where(emails.c.account.in_(author))
    conn.execute(insert(mails).from_select(_NOTICE, told))


def _notices(kind: Notice, about: str, now: float) -> Select[Any]:
    words = literal(kind), emails.c.account, literal(about)
    return select(*words, literal(now), literal(now), literal(0)).where(emails.c[kind])


def is_due(conn: Connection, now: float) -> bool:
    return conn.scalar(DUE, {"now": now}) is not None


def count_waiting(conn: Connection) -> int:
    """Number of e-mails that wait for their first or next attempt."""
    return conn.scalar(select(func.count()).select_from(mails)) or 0


def claim(conn: Connection, now: float) -> Mail | None:
    """Claims the e-mail that is due first, until its lease ends; None if none is due."""
    row = mails.c
    first = select(row.id).where(row.due <= now).order_by(row.due, row.id).limit(1)
    number = conn.scalar(first)
    if number is None:
        return None
    taken = update(mails).where(row.id == number, row.due <= now)
    taken = taken.values(due=now + LEASE_S, attempts=row.attempts + 1)
    columns = row.id, row.kind, row.account, row.about, row.created, row.attempts
    found = conn.execute(taken.returning(*columns)).first()
    return Mail(*found) if found else None


def done(conn: Connection, mail: Mail) -> None:
    """Removes an e-mail that was sent or never will be."""
    conn.execute(delete(mails).where(mails.c.id == mail.id))


def failed(conn: Connection, mail: Mail, now: float) -> bool:
    """Schedules another attempt, or drops the e-mail. Returns whether it will be tried again."""
    if mail.attempts > len(AGAIN_S) or now - mail.created > TOO_LATE_S:
        done(conn, mail)
        return False
    due = now + AGAIN_S[mail.attempts - 1]
    conn.execute(update(mails).where(mails.c.id == mail.id).values(due=due))
    return True
