"""Threads of the dashboard that send queued webhook messages.

Several dashboards share the queue; each claims a delivery for a minute. A message may be sent
twice if a dashboard dies right after sending it. Half of the threads only serve webhooks that
answer quickly, so that slow ones cannot block all threads.

The JSON of messages is described in docs/webhooks.md. Fields may be added, but never changed.
Messages are signed by the Standard Webhooks specification: HMAC-SHA256 over id, time and body. This
protects against forged, modified and replayed messages.
"""

import base64
import hmac
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog
from sqlalchemy import Connection, select

from arena.base import instant
from arena.base.errors import NotFound
from arena.store.engine import Connections
from arena.store.registry.webhooks import deliveries
from arena.store.registry.webhooks.deliveries import Delivery, DeliveryResult
from arena.store.registry.webhooks.hooks import PREFIX, Webhook, secret_of
from arena.store.reports import standings
from arena.store.reports.own_data import moment
from arena.store.reports.standings import Standing
from arena.store.tables import absences, bots
from arena.store.tournaments import tournaments
from dashboard.system.background import repeat
from dashboard.webhooks.posting import post
from dashboard.webhooks.targets import Networks

log = structlog.get_logger(__name__)

THREADS = 4
LOOK_EVERY_S = 2.0

NOTHING_LEFT = DeliveryResult(error="The tournament or bot no longer exists.", blameless=True)
FIGURES = ("score", "mean_points", "elo", "matches", "wins", "forfeits")
FIRST = 10  # places listed, in addition to the account's bots


@dataclass
class WebhookSender:
    """Sends queued messages. Secrets are derived from each of the `keys`, the current one first."""

    store: Connections
    public_url: str
    keys: Sequence[str] = field(repr=False)
    allowed: Networks = ()
    # Attempts by outcome: sent, failed (will be retried), given_up.
    outcomes: Counter[str] = field(default_factory=Counter)

    def begin(self) -> None:
        for number in range(THREADS):
            repeat(
                partial(self._send_all, healthy=number < THREADS // 2),
                LOOK_EVERY_S,
                name=f"webhooks {number}",
                unavailable="cannot look for webhooks to call",
                broke="calling webhooks broke",
            )

    def _send_all(self, *, healthy: bool) -> None:
        while self.send_next(instant.now(), healthy=healthy):
            pass

    def send_next(self, now: float, *, healthy: bool = False) -> bool:
        """Send the next due message; False if no message is due. Raises Unavailable."""
        with self.store.read() as conn:
            if not deliveries.is_due(conn, now):
                return False
        with self.store.write() as conn:
            claimed = deliveries.claim(conn, now, healthy=healthy)
            if claimed is None:
                return False
            body = self._body(conn, *claimed)
        hook, delivery = claimed
        outcome = self._post(hook, delivery, body) if body else NOTHING_LEFT
        ended = max(now, instant.now()) if outcome.seconds is not None else now
        with self.store.write() as conn:
            again = deliveries.settle(conn, delivery, outcome, ended)
        kept = "failed" if again else "given_up"
        self.outcomes["sent" if not outcome.error else kept] += 1
        if outcome.error:
            log.info("a webhook was not reached", webhook=hook.id, error=outcome.error, again=again)
        return True

    def _body(self, conn: Connection, hook: Webhook, delivery: Delivery) -> str | None:
        if delivery.body is not None:
            return delivery.body
        body = body_of(conn, hook, delivery, self.public_url)
        if body is not None:
            deliveries.keep_body(conn, delivery, body)
        return body

    def _post(self, hook: Webhook, delivery: Delivery, body: str) -> DeliveryResult:
        sent, at = body.encode(), int(instant.now())
        secrets = [secret_of(key, hook.salt) for key in self.keys]
        headers = signed_headers(secrets, delivery.event, at, sent)
        return post(hook.url, sent, headers, self.allowed)


def signature(secret: str, event: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a body sent at `timestamp` (Unix seconds)."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    made = hmac.digest(key, f"{event}.{timestamp}.".encode() + body, "sha256")
    return "v1," + base64.b64encode(made).decode()


def signed_headers(
    secrets: Iterable[str], event: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """Return the signed headers of a message, with one signature per secret. The receiver knows one
    of the secrets."""
    return {
        "webhook-id": event,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(
            signature(secret, event, timestamp, body) for secret in secrets
        ),
    }


def body_of(conn: Connection, hook: Webhook, delivery: Delivery, public_url: str) -> str | None:
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
        **{name: getattr(each, name) for name in FIGURES},
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
