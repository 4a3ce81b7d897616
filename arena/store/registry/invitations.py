"""Invitations: with a link an organiser lets people sign up, even if sign-up is closed.

An invitation has a number of places, or it is for one person, by name or by e-mail address. The
person finds the name in the form and may change it. An address is kept until the person has signed
up or the invitation has expired. The link carries a signature of the invitation's number, so the
database has no secret.
"""

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, select, update

from arena.base.errors import InvalidRequest, LimitReached, NotFound, NotNow
from arena.store.dialects import insert, lock_number
from arena.store.registry import accounts
from arena.store.registry.accounts import Account
from arena.store.registry.mail import addresses, outbox
from arena.store.tables import accounts as account_rows
from arena.store.tables import invitations, invited

MOST = 1_000  # invitations that have not expired
MOST_PLACES = 500
MOST_DAYS = 366
LONGEST = 80  # characters of a title
DAY_S = 86_400
PACE_S = 2.0  # between e-mails
LOCK = 0x696E7674  # number of PostgreSQL's advisory lock for inviting
HAS_ADDRESS = invitations.c.name.contains("@")


@dataclass(frozen=True)
class Invitation:
    """An invitation of `places` people, or of one with a `name` or address, until `expires` (Unix
    seconds)."""

    id: int
    title: str
    name: str
    places: int
    created: float
    expires: float
    used: int

    @property
    def address(self) -> str:
        """The e-mail address that was invited, or an empty string."""
        return self.name if "@" in self.name else ""

    def check(self, now: float) -> None:
        """Raises NotNow if it has expired at `now` (Unix seconds) or is full."""
        if now >= self.expires:
            raise NotNow("This invitation has expired. Ask the organiser for another one.")
        if self.used >= self.places:
            raise NotNow("All places of this invitation are taken. Ask the organiser for another.")


def invite(
    conn: Connection,
    title: str,
    names: Collection[str],
    places: int,
    days: int,
    now: float,
    *,
    mailed: bool = False,
) -> None:
    """Creates an invitation for each of these names or addresses, or without any one for `places`
    people. `mailed` queues an e-mail to each address. Raises InvalidRequest and LimitReached."""
    title = " ".join(title.split())
    if not title or len(title) > LONGEST or not title.isprintable():
        raise InvalidRequest(f"The title must have 1 to {LONGEST} printable characters.")
    if not 1 <= places <= MOST_PLACES:
        raise InvalidRequest(f"There are {places:,} places. Choose 1 to {MOST_PLACES}.")
    if not 1 <= days <= MOST_DAYS:
        raise InvalidRequest(f"The link works for {days:,} days. Choose 1 to {MOST_DAYS}.")
    names = list({name.lower(): name for name in names}.values())
    if len(names) > MOST_PLACES:
        raise InvalidRequest(f"There are {len(names):,} names. Give at most {MOST_PLACES}.")
    for name in names:
        (addresses.check_address if "@" in name else accounts.check_name)(name)
    lock_number(conn, LOCK)  # so that no address is invited twice
    forget_addresses(conn, now)
    mail_to = [name.lower() for name in names if "@" in name]
    twice = select(invitations.c.name).where(func.lower(invitations.c.name).in_(mail_to)).limit(1)
    if mail_to and (known := conn.scalar(twice)) is not None:
        raise InvalidRequest(f"{known} has an invitation already. End it first, or leave it out.")
    open_ones = select(func.count()).where(invitations.c.expires > now)
    if (conn.scalar(open_ones) or 0) + max(1, len(names)) > MOST:
        raise LimitReached(
            f"There can be {MOST:,} open invitations. Invite fewer people at a time, give one "
            "link to all, or end some."
        )
    row = {"title": title, "created": now, "expires": now + days * DAY_S}
    rows = [{**row, "name": name, "places": 1} for name in names]
    made = insert(conn, invitations).returning(invitations.c.id, invitations.c.name)
    found = conn.execute(made, rows or [{**row, "name": "", "places": places}]).all()
    for place, (number, name) in enumerate(found):
        if mailed and "@" in name:  # with pauses, for more urgent e-mails
            outbox.add(conn, "invited", None, str(number), now, due=now + place * PACE_S)


def get(conn: Connection, number: int, *, lock: bool = False) -> Invitation:
    """One invitation; `lock` holds its row lock until the transaction ends. Raises NotFound."""
    query = select(invitations).where(invitations.c.id == number)
    row = conn.execute(query.with_for_update() if lock else query).first()
    if row is None:
        raise NotFound("There is no such invitation.")
    used = conn.scalar(select(func.count()).where(invited.c.invitation == number)) or 0
    return Invitation(**row._mapping, used=used)


def sign_up(conn: Connection, number: int, name: str, password: str, now: float) -> Account:
    """Creates an account by an invitation; `password` is hashed. Raises NotFound, NotNow and the
    errors of `accounts.sign_up`."""
    get(conn, number, lock=True).check(now)
    account = accounts.sign_up(conn, name, password, now=now)
    conn.execute(insert(conn, invited).values(account=account.id, invitation=number))
    _forget_addresses(conn, invitations.c.id == number)
    return account


def newest(conn: Connection, most: int, before: int | None = None) -> list[Invitation]:
    """The newest invitations, newest first: those older than `before`, if given."""
    row = invitations.c
    used = select(func.count()).where(invited.c.invitation == row.id).scalar_subquery()
    query = select(invitations, used.label("used")).order_by(row.id.desc()).limit(most)
    if before is not None:
        query = query.where(row.id < before)
    return [Invitation(**found._mapping) for found in conn.execute(query)]


def guests(conn: Connection, of: Collection[int]) -> dict[int, list[tuple[int, str]]]:
    """By invitation, the accounts that signed up with it: number and name."""
    found: dict[int, list[tuple[int, str]]] = {number: [] for number in of}
    query = select(invited.c.invitation, account_rows.c.id, account_rows.c.name)
    query = query.join_from(invited, account_rows).where(invited.c.invitation.in_(of))
    for number, account, name in conn.execute(query.order_by(account_rows.c.id)):
        found[number].append((account, name))
    return found


def end(conn: Connection, number: int, now: float) -> Invitation:
    """Lets an invitation expire. Raises NotFound."""
    found = get(conn, number, lock=True)
    row = update(invitations).where(invitations.c.id == number)
    conn.execute(row.values(expires=min(found.expires, now)))
    _forget_addresses(conn, invitations.c.id == number)
    return found


def forget_addresses(conn: Connection, now: float) -> None:
    """Deletes the addresses of invitations that have expired."""
    _forget_addresses(conn, invitations.c.expires <= now)


def has_old_addresses(conn: Connection, now: float) -> bool:
    """Whether `forget_addresses` has something to delete."""
    old = select(invitations.c.id).where(invitations.c.expires <= now, HAS_ADDRESS).limit(1)
    return conn.scalar(old) is not None


def _forget_addresses(conn: Connection, which: ColumnElement[bool]) -> None:
    conn.execute(update(invitations).where(which, HAS_ADDRESS).values(name=""))
