"""Bots that are to play and are not connected, for as long as their authors want to be told, by
e-mail or by a webhook.

An author is told once for each absence, and about a bot that comes and goes at most once in
an hour.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, delete, or_, select, update

from arena.store.registry.mail.outbox import add_offline
from arena.store.registry.webhooks import deliveries
from arena.store.tables import absences, bots, emails, entrants, players, tournaments
from arena.store.upsert import insert

AFTER_S = 120.0  # so long may a bot be away: it may be restarted
EVERY_S = 3_600.0


def expected(conn: Connection, *, webhooks: bool = True) -> dict[int, int]:
    """By player, the bots that play in tournaments under way by a program of their author's, who
    wants to know when they are gone: by e-mail or, if there are any, by a webhook."""
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
    """Takes in which of the expected bots are connected, and has authors told of those that have
    been away for too long: by e-mail, and unless there are none by webhooks."""
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
