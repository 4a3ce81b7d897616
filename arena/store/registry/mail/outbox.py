"""E-mails to be sent. Whoever causes one adds a row in a transaction of their own; it is sent later
by somebody else (`dashboard/mail`), and tried again when that fails.

A row says what the mail is about, and has no secret in it: links are made when it is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Select, delete, func, insert, literal, or_, select, update

from arena.base.errors import LimitReached
from arena.store.registry.mail.addresses import Notice
from arena.store.tables import bots, emails, entrants, mails, players, tournaments

# "confirm": about an address that is to be confirmed. "reset": about what somebody wrote who forgot
# a password, which may be nobody's. "password": it was changed. "moved": about the address that
# was there before.
Kind = Literal["confirm", "reset", "password", "moved", "finished", "offline"]

MOST = 10_000  # that wait; beyond it nothing is sent that anybody can ask for
ASKED_FOR: tuple[Kind, ...] = ("confirm", "reset")
LEASE_S = 300.0  # who began to send one and is silent for so long has died
AGAIN_S = (60, 300, 1_800, 7_200, 21_600)  # until it is tried again, after each attempt
TOO_LATE_S = 86_400  # nobody is written to about what is older

_NOTICE = ["kind", "account", "about", "created", "due", "attempts"]

FULL = "Too many e-mails wait to be sent: try again in a few minutes."


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that is to be sent; `attempts` were begun, this one included."""

    id: int
    kind: Kind
    account: int | None
    about: str
    created: float
    attempts: int


def add(conn: Connection, kind: Kind, account: int | None, about: str, now: float) -> None:
    """Has a mail sent. Raises LimitReached when too many wait for one that is asked for."""
    if kind in ASKED_FOR and count_waiting(conn) >= MOST:
        raise LimitReached(FULL)
    row = {"kind": kind, "account": account, "about": about, "created": now}
    conn.execute(insert(mails).values(**row, due=now, attempts=0))


def add_finished(conn: Connection, tournament: int, now: float) -> None:
    """Tells whoever made a tournament, and whose bots played, that it is over: one statement,
    which adds nothing for who has no address or does not want to know."""
    over, owner = tournaments.c, bots.c.owner
    entered = (
        select(owner)
        .join_from(entrants, players, players.c.id == entrants.c.player)
        .join(bots, bots.c.id == players.c.bot)
        .where(entrants.c.tournament == tournament)
    )
    made = select(over.owner).where(over.id == tournament)
    concerned = or_(emails.c.account.in_(entered), emails.c.account.in_(made))
    listed = select(over.id).where(over.id == tournament, over.kind == "tournament").exists()
    told = _notices("finished", str(tournament), now).where(concerned, listed)
    conn.execute(insert(mails).from_select(_NOTICE, told))


def add_offline(conn: Connection, bot: int, now: float) -> None:
    """Tells a bot's author that it is not connected, if they want to know."""
    author = select(bots.c.owner).where(bots.c.id == bot)
    told = _notices("offline", str(bot), now).where(emails.c.account.in_(author))
    conn.execute(insert(mails).from_select(_NOTICE, told))


def _notices(kind: Notice, about: str, now: float) -> Select[Any]:
    words = literal(kind), emails.c.account, literal(about)
    return select(*words, literal(now), literal(now), literal(0)).where(emails.c[kind])


def is_due(conn: Connection, now: float) -> bool:
    """Whether a mail is due."""
    return conn.scalar(select(mails.c.id).where(mails.c.due <= now).limit(1)) is not None


def count_waiting(conn: Connection) -> int:
    """How many wait to be sent, or to be sent again."""
    return conn.scalar(select(func.count()).select_from(mails)) or 0


def claim(conn: Connection, now: float) -> Mail | None:
    """The mail that is due first; nobody else has it before the lease is over."""
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
    """It is sent, or never will be."""
    conn.execute(delete(mails).where(mails.c.id == mail.id))


def failed(conn: Connection, mail: Mail, now: float) -> bool:
    """It could not be sent; whether it will be tried again."""
    if mail.attempts > len(AGAIN_S) or now - mail.created > TOO_LATE_S:
        done(conn, mail)
        return False
    due = now + AGAIN_S[mail.attempts - 1]
    conn.execute(update(mails).where(mails.c.id == mail.id).values(due=due))
    return True
