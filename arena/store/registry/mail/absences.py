"""Bots that should play and are not connected, if their authors want to be notified by e-mail or
webhook.

An author is notified once per absence, and at most once an hour about a bot that comes and goes.
"""

from collections.abc import Collection

from sqlalchemy import Connection, delete, or_, select, update

from arena.store.dialects import insert
from arena.store.registry.mail.outbox import add_offline
from arena.store.registry.webhooks import deliveries
from arena.store.tables import absences, bots, emails, entrants, players, tournaments

AFTER_S = 120.0  # a shorter absence may be a restart
EVERY_S = 3_600.0


def expected(conn: Connection, *, webhooks: bool = True) -> dict[int, int]:
    """By player, the bot ids to watch: bots in running tournaments that connect by themselves,
    whose author wants to be notified by e-mail or, with `webhooks`, by a webhook."""
    bot, row = bots.c, tournaments.c
    query = (
        select(players.c.id, bot.id)
        .join_from(tournaments, entrants, entrants.c.tournament == row.id)
        .join(players, players.c.id == entrants.c.player)
        .join(bots, bot.id == players.c.bot)
        .outerjoin(emails, emails.c.account == bot.owner)
        .where(row.state == "running", row.kind == "tournament", entrants.c.withdrawn.is_(None))
        .where(or_(emails.c.offline, deliveries.wants_offline()) if webhooks else emails.c.offline)
        .where(bot.retired.is_(None), players.c.hosted.is_(False))
    )
    return dict(conn.execute(query).all())


def note(
    conn: Connection,
    present: Collection[int],
    absent: Collection[int],
    now: float,
    *,
    webhooks: bool = True,
) -> None:
    """Stores which of the expected bots are connected, and notifies the authors of those that have
    been disconnected for too long: by e-mail and, with `webhooks`, by webhooks."""
    row = absences.c
    conn.execute(delete(absences).where(row.since.is_(None), row.told <= now - EVERY_S))
    there = update(absences).where(row.bot.in_(present), row.since.is_not(None))
    conn.execute(there.values(since=None))
    for bot in sorted(absent):
        new = insert(conn, absences).values(bot=bot, since=now, told=None)
        conn.execute(new.on_conflict_do_nothing(index_elements=[row.bot]))
        begun = update(absences).where(row.bot == bot, row.since.is_(None))
        conn.execute(begun.values(since=now))
        once = or_(row.told.is_(None), (row.told < row.since) & (row.told <= now - EVERY_S))
        due = update(absences).where(row.bot == bot, row.since <= now - AFTER_S, once)
        if conn.execute(due.values(told=now)).rowcount:
            add_offline(conn, bot, now)
            if webhooks:
                deliveries.add_offline(conn, bot, now)
