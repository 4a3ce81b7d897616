"""Messages to webhooks. The code that causes an event adds rows in its transaction; the dashboard
sends them later (`dashboard/webhooks`), and retries if that fails.

An account has one delivery under way at a time, so that a slow receiver blocks only one sender.
"""

import random
import secrets
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from arena.store.registry.webhooks import hooks
from arena.store.registry.webhooks.hooks import Webhook
from arena.store.tables import (
    bots,
    entrants,
    players,
    tournaments,
    webhook_deliveries,
    webhooks,
)

Kind = Literal["tournament.finished", "bot.offline", "webhook.test"]

LEASE_S = 60.0  # a sender that takes longer has died
FIRST_AGAIN_S, FACTOR, LONGEST_AGAIN_S = 10.0, 4.0, 21_600.0
ATTEMPTS = 10  # over 22 hours
JITTER = 0.2  # random share by which each wait is shorter or longer
MOST_WAITING = 100  # per webhook
KEPT = 20  # finished deliveries per webhook
SLOW_S = 2.0  # a kept delivery that took longer marks its webhook as slow

OFF_AFTER_S = 3 * 86_400.0  # a webhook that has failed for this long,
OFF_AFTER_GIVEN_UP = 3  # with as many deliveries given up in a row, is switched off

FAILED = "It was switched off because nothing could be delivered for three days."
GONE = 410
DUE = select(webhook_deliveries.c.id).where(webhook_deliveries.c.due <= bindparam("now")).limit(1)
ASKED_TO_STOP = "It was switched off because the receiver answered 410 Gone, a request to stop."


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message to a webhook; `attempts` includes the current one. `due` is None when the delivery
    is finished; it succeeded if `error` is empty."""

    id: int
    webhook: int
    event: str
    kind: Kind
    about: str
    body: str | None
    created: float
    due: float | None
    attempts: int
    tried: float | None
    seconds: float | None
    status: int | None
    error: str


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """The result of an attempt: it succeeded if `error` is empty. `status` is the receiver's
    answer, or None. `seconds` is None if nothing was sent. `blameless` means that there was nothing
    to send, which ends the delivery."""

    status: int | None = None
    seconds: float | None = None
    error: str = ""
    blameless: bool = False


_COLUMNS = tuple(webhook_deliveries.c[name] for name in Delivery.__slots__)


def wait_s(attempts: int, chance: float) -> float:
    """Seconds to wait after the given number of attempts; `chance` is from 0 to 1."""
    wait = min(FIRST_AGAIN_S * FACTOR ** (attempts - 1), LONGEST_AGAIN_S)
    return wait * (1 + JITTER * (2 * chance - 1))


# Events


def add_finished(conn: Connection, tournament: int, now: float) -> None:
    """Notifies those concerned that a tournament is finished."""
    wanted = webhooks.c.finished, concerned(tournament, webhooks.c.account)
    _add(conn, "tournament.finished", str(tournament), now, and_(*wanted))


def concerned(tournament: int, account: Column[int]) -> ColumnElement[bool]:
    """Whether an account made a tournament or owns one of its bots; false for other games."""
    over = tournaments.c
    entered = (
        select(bots.c.owner)
        .join_from(entrants, players, players.c.id == entrants.c.player)
        .join(bots, bots.c.id == players.c.bot)
        .where(entrants.c.tournament == tournament)
    )
    made = select(over.owner).where(over.id == tournament)
    listed = select(over.id).where(over.id == tournament, over.kind == "tournament").exists()
    return and_(or_(account.in_(entered), account.in_(made)), listed)


def add_offline(conn: Connection, bot: int, now: float) -> None:
    """Notifies a bot's owner that it is not connected."""
    author = select(bots.c.owner).where(bots.c.id == bot)
    wanted = and_(webhooks.c.offline, webhooks.c.account.in_(author))
    _add(conn, "bot.offline", str(bot), now, wanted)


def add_test(conn: Connection, hook: Webhook, now: float) -> None:
    """Sends a test message, once."""
    _add(conn, "webhook.test", "", now, webhooks.c.id == hook.id)


def wants_offline() -> ColumnElement[bool]:
    """Whether the owner of a bot (in a query over bots) has an enabled webhook for its absence."""
    return exists().where(
        webhooks.c.account == bots.c.owner, webhooks.c.offline, webhooks.c.enabled
    )


def _add(conn: Connection, kind: Kind, about: str, now: float, wanted: ColumnElement[bool]) -> None:
    """Adds a row for each such webhook that is enabled and has room. Waits for no lock: a webhook
    that is being deleted is left out."""
    row = webhook_deliveries.c
    waiting = (
        select(func.count())
        .where(row.webhook == webhooks.c.id, row.due.is_not(None))
        .scalar_subquery()
    )
    query = select(webhooks.c.id).where(wanted, webhooks.c.enabled, waiting < MOST_WAITING)
    there = query.with_for_update(read=True, key_share=True, skip_locked=True, of=webhooks)
    for number in conn.scalars(there).all():
        what = {"webhook": number, "event": f"evt_{secrets.token_hex(16)}", "kind": kind}
        state = {"created": now, "due": now, "attempts": 0, "error": ""}
        conn.execute(insert(webhook_deliveries).values(**what, **state, about=about))


# Sending


def claim(
    conn: Connection, now: float, *, healthy: bool = False
) -> tuple[Webhook, Delivery] | None:
    """Claims the delivery that is due first, until its lease ends, of an account without one under
    way. Prefers webhooks that do not fail; with `healthy`, ignores all others, and slow ones."""
    row, hook = webhook_deliveries.c, webhooks.c
    free = or_(hook.busy_until.is_(None), hook.busy_until <= now)
    beside = webhooks.alias()
    busy = exists().where(beside.c.account == hook.account, beside.c.busy_until > now)
    query = (
        select(row.id, hook.id.label("webhook"), hook.account)
        .join_from(webhook_deliveries, webhooks)
        .where(row.due <= now, hook.enabled, ~busy)
        .order_by(hook.failing_since.is_not(None), row.due, row.id)
        .limit(1)
    )
    if healthy:
        before = webhook_deliveries.alias()
        slow = exists().where(before.c.webhook == hook.id, before.c.seconds > SLOW_S)
        query = query.where(hook.failing_since.is_(None), ~slow)
    found = conn.execute(query).first()
    if found is None:
        return None
    taken = update(webhooks).where(hook.id == found.webhook, free)
    if not conn.execute(taken.values(busy_until=now + LEASE_S)).rowcount:
        return None
    begun = update(webhook_deliveries).where(row.id == found.id, row.due <= now)
    begun = begun.values(attempts=row.attempts + 1, due=now + LEASE_S, tried=now)
    mine = conn.execute(begun.returning(*_COLUMNS)).first()
    if mine is None:
        conn.execute(update(webhooks).where(hook.id == found.webhook).values(busy_until=None))
        return None
    return hooks.get(conn, found.account, found.webhook), Delivery(*mine)


def is_due(conn: Connection, now: float) -> bool:
    """Whether a delivery is due. Claims nothing."""
    return conn.scalar(DUE, {"now": now}) is not None


def keep_body(conn: Connection, delivery: Delivery, body: str) -> None:
    """Stores the body, so that all attempts send the same."""
    mine = webhook_deliveries.c.id == delivery.id
    conn.execute(update(webhook_deliveries).where(mine).values(body=body))


def settle(conn: Connection, delivery: Delivery, outcome: DeliveryResult, now: float) -> bool:
    """Stores the outcome of an attempt. Returns whether it will be tried again. Switches off a
    webhook that has failed for days."""
    conn.execute(update(webhooks).where(webhooks.c.id == delivery.webhook).values(busy_until=None))
    once = delivery.kind == "webhook.test" or outcome.blameless
    stop = outcome.status == GONE
    again = bool(outcome.error) and not (once or stop) and delivery.attempts < ATTEMPTS
    # Meanwhile, its owner may have switched it off.
    enabled = select(webhooks.c.enabled).where(webhooks.c.id == delivery.webhook)
    again = again and bool(conn.scalar(enabled))
    due = now + wait_s(delivery.attempts, random.random()) if again else None
    seen = {"status": outcome.status, "seconds": outcome.seconds, "error": outcome.error}
    mine = webhook_deliveries.c.id == delivery.id
    conn.execute(update(webhook_deliveries).where(mine).values(due=due, **seen))
    if not outcome.error:
        _note(conn, delivery.webhook, failing_since=None, given_up=0)
    elif not once:
        _failed(conn, delivery.webhook, now, given_up=not again, stop=stop)
    if not again:
        _forget_old(conn, delivery.webhook)
    return again


def of_webhook(conn: Connection, number: int, most: int = KEPT) -> list[Delivery]:
    """The deliveries of a webhook, newest first."""
    query = select(*_COLUMNS).where(webhook_deliveries.c.webhook == number)
    query = query.order_by(webhook_deliveries.c.id.desc()).limit(most)
    return [Delivery(*row) for row in conn.execute(query)]


def count_waiting(conn: Connection) -> int:
    """Number of deliveries that wait for their first or next attempt."""
    row = webhook_deliveries.c
    return conn.scalar(select(func.count(row.id)).where(row.due.is_not(None))) or 0


def _failed(conn: Connection, number: int, now: float, *, given_up: bool, stop: bool) -> None:
    row = webhooks.c
    since = conn.execute(select(row.failing_since, row.given_up).where(row.id == number)).first()
    if since is None:
        return  # deleted in the meantime
    begun, count = since.failing_since or now, since.given_up + given_up
    _note(conn, number, failing_since=begun, given_up=count)
    if stop or (now - begun >= OFF_AFTER_S and count >= OFF_AFTER_GIVEN_UP):
        _note(conn, number, enabled=False, note=ASKED_TO_STOP if stop else FAILED)
        hooks.drop_waiting(conn, number)


def _note(conn: Connection, number: int, **values: Any) -> None:
    conn.execute(update(webhooks).where(webhooks.c.id == number).values(**values))


def _forget_old(conn: Connection, number: int) -> None:
    row = webhook_deliveries.c
    over = select(row.id).where(row.webhook == number, row.due.is_(None))
    kept = over.order_by(row.id.desc()).limit(1).offset(KEPT - 1).scalar_subquery()
    old = row.webhook == number, row.due.is_(None), row.id < kept
    conn.execute(delete(webhook_deliveries).where(*old))
