"""The JSON of webhook messages, see docs/webhooks.md. Fields may be added, but never changed."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, select

from arena.base.errors import NotFound
from arena.store.registry.webhooks.deliveries import Delivery
from arena.store.registry.webhooks.hooks import Webhook
from arena.store.reports import standings
from arena.store.reports.own_data import moment
from arena.store.reports.standings import Standing
from arena.store.tables import absences, bots
from arena.store.tournaments import tournaments

FIRST = 10  # places listed, in addition to the account's bots


def body(conn: Connection, hook: Webhook, delivery: Delivery, public_url: str) -> str | None:
    """Return the JSON of a delivery; None if its subject no longer exists."""
    try:
        data = _data(conn, hook, delivery, public_url.rstrip("/"))
    except NotFound:
        return None
    happened = moment(delivery.created)
    return json.dumps(
        {"id": delivery.event, "type": delivery.kind, "timestamp": happened, "data": data}
    )


def _data(conn: Connection, hook: Webhook, delivery: Delivery, public: str) -> dict[str, Any]:
    if delivery.kind == "tournament.finished":
        return _finished(conn, hook, int(delivery.about), public)
    if delivery.kind == "bot.offline":
        return _offline(conn, int(delivery.about), public)
    return {}


def _finished(conn: Connection, hook: Webhook, number: int, public: str) -> dict[str, Any]:
    tournament = tournaments.get(conn, number)
    table = standings.standings(conn, number)
    mine = set(conn.scalars(select(bots.c.name).where(bots.c.owner == hook.account)))
    lines = [_line(each, yours=each.bot in mine) for each in table]
    return {
        "tournament": number,
        "name": tournament.spec.name,
        "game": tournament.spec.game,
        "seats": tournament.spec.seats,
        "format": tournament.spec.format,
        "matches": tournament.played,
        "url": f"{public}/tournaments/{number}" if public else None,
        "entrants": len(lines),
        "standings": [line for place, line in enumerate(lines) if place < FIRST or line["yours"]],
    }


def _line(each: Standing, *, yours: bool) -> dict[str, Any]:
    return {
        "rank": each.rank,
        "bot": each.bot,
        "version": each.version,
        "yours": yours,
        "score": each.score,
        "mean_points": each.mean_points,
        "elo": each.elo,
        "matches": each.matches,
        "wins": each.wins,
        "forfeits": each.forfeits,
    }


def _offline(conn: Connection, number: int, public: str) -> dict[str, Any]:
    name = conn.scalar(select(bots.c.name).where(bots.c.id == number))
    if name is None:
        raise NotFound("This bot no longer exists.")
    since = conn.scalar(select(absences.c.since).where(absences.c.bot == number))
    return {
        "bot": name,
        "since": moment(since),
        "url": f"{public}/my/bots/{name}" if public else None,
    }
