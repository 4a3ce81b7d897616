"""Threads of the dashboard that send what waits for webhooks: no request, no match and no e-mail
waits for a receiver.

Several dashboards share the work: who claims a delivery has it for a minute. One may come twice
when a dashboard dies between sending it and saying so. Half of the threads send only to webhooks
that answer, and quickly, so that the others never keep all of them busy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog
from sqlalchemy import Connection

from arena.base import instant
from arena.store.engine import Connections
from arena.store.registry.webhooks import deliveries
from arena.store.registry.webhooks.deliveries import Delivery, Outcome
from arena.store.registry.webhooks.hooks import Webhook, secret_of
from dashboard.system.background import repeat
from dashboard.webhooks import events, signing
from dashboard.webhooks.posting import post
from dashboard.webhooks.targets import Networks

log = structlog.get_logger(__name__)

THREADS = 4
LOOK_EVERY_S = 2.0

NOTHING_LEFT = Outcome(error="What it was about is gone.", blameless=True)


@dataclass
class WebhookSender:
    """Sends to webhooks of the arena at this address. Their secrets are made of the first of the
    `keys`, or still of another."""

    store: Connections
    public_url: str
    keys: Sequence[str] = field(repr=False)
    allowed: Networks = ()
    # Attempts, by what became of them: sent, failed (to be tried again), given_up.
    outcomes: Counter[str] = field(default_factory=Counter)

    def begin(self) -> None:
        """Begins to do so, in threads that end with the process."""
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
        """Sends what is due first; False if nothing is. Raises Unavailable."""
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
        body = events.body(conn, hook, delivery, self.public_url)
        if body is not None:
            deliveries.keep_body(conn, delivery, body)
        return body

    def _post(self, hook: Webhook, delivery: Delivery, body: str) -> Outcome:
        sent, at = body.encode(), int(instant.now())
        secrets = [secret_of(key, hook.salt) for key in self.keys]
        headers = signing.headers(secrets, delivery.event, at, sent)
        return post(hook.url, sent, headers, self.allowed)
