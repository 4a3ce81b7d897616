"""Threads of the dashboard: one sends queued e-mails, so that no request waits for a mail server,
and one detects offline bots.

Several dashboards share the queue; each claims an e-mail for a few minutes. An e-mail may be sent
twice if a dashboard dies right after sending it. Authors of offline bots are notified by e-mail or
webhook (`dashboard/webhooks`).
"""

from collections import Counter
from collections.abc import Callable

import structlog

from arena.base import instant
from arena.service.live.reader import Live
from arena.store.engine import Connections
from arena.store.registry.mail import absences, links, outbox
from arena.store.registry.mail.outbox import Mail
from dashboard.mail.delivery import Message, Undelivered
from dashboard.mail.messages import Writer
from dashboard.system.background import repeat

log = structlog.get_logger(__name__)

LOOK_EVERY_S = 2.0
LOOK_OUT_EVERY_S = 30.0

Send = Callable[[Message], None]


class Sender:
    """Sends queued e-mails through `send`."""

    def __init__(self, store: Connections, writer: Writer, send: Send) -> None:
        self._store, self._writer, self._send = store, writer, send
        # Counts by outcome: sent, failed (will be retried), given_up.
        self.outcomes: Counter[str] = Counter()

    def begin(self) -> None:
        repeat(
            self._send_all,
            LOOK_EVERY_S,
            name="mail",
            unavailable="cannot look for e-mails to send",
            broke="sending e-mails broke",
        )

    def _send_all(self) -> None:
        while self.send_next(instant.now()):
            pass

    def send_next(self, now: float) -> bool:
        """Send the next due e-mail; False if no e-mail is due. Raises Unavailable."""
        with self._store.read() as conn:
            if not outbox.is_due(conn, now):
                return False
        with self._store.write() as conn:
            mail = outbox.claim(conn, now)
            message = self._writer.message(conn, mail, now) if mail else None
        if mail is not None:
            self._deliver(mail, message, now)
        return True

    def _deliver(self, mail: Mail, message: Message | None, now: float) -> None:
        if message is not None:
            try:
                self._send(message)
            except Undelivered as error:
                self._give_up(mail, message, error, now)
                return
            self.outcomes["sent"] += 1
        with self._store.write() as conn:
            outbox.done(conn, mail)

    def _give_up(self, mail: Mail, message: Message, error: Undelivered, now: float) -> None:
        """Schedule a retry or give up. Links in the message are revoked and not counted."""
        with self._store.write() as conn:
            for secret in message.secrets:
                links.forget(conn, secret)
            if error.lasting:
                outbox.done(conn, mail)
            again = not error.lasting and outbox.failed(conn, mail, now)
        self.outcomes["failed" if again else "given_up"] += 1
        log.warning("an e-mail was not sent", kind=mail.kind, error=str(error), again=again)


class Lookout:
    """Detects offline bots in `live`. Without `webhooks`, only e-mails are queued."""

    def __init__(
        self, store: Connections, live: Callable[[list[int]], Live], *, webhooks: bool = True
    ) -> None:
        self._store, self._live, self._webhooks = store, live, webhooks

    def begin(self) -> None:
        repeat(
            lambda: self.look(instant.now()),
            LOOK_OUT_EVERY_S,
            name="lookout",
            unavailable="cannot look for absent bots",
            broke="looking for absent bots broke",
        )

    def look(self, now: float) -> None:
        """Store which bots should play but are not connected. Raises Unavailable."""
        with self._store.read() as conn:
            expected = absences.expected(conn, webhooks=self._webhooks)
        live = self._live(list(expected))
        if not expected or not (live.known and live.gateway):
            return  # the state of the bots is unknown, or the arena itself is down
        present = {bot for player, bot in expected.items() if player in live.connected}
        absent = set(expected.values()) - present
        with self._store.write() as conn:
            absences.note(conn, present, absent, now, webhooks=self._webhooks)
