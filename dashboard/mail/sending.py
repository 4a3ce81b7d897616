"""A thread of the dashboard that sends what waits: no request and no match waits for a mail server.

Several dashboards share the work: who claims a mail has it for some minutes. A mail may come twice
when a dashboard dies between sending it and saying so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import structlog

from arena.base import instant
from arena.store.engine import Connections
from arena.store.registry.mail import links, outbox
from arena.store.registry.mail.outbox import Mail
from dashboard.mail.delivery import Letter, Undelivered
from dashboard.mail.letters import Writer
from dashboard.system.background import repeat

log = structlog.get_logger(__name__)

LOOK_EVERY_S = 2.0

Send = Callable[[Letter], None]


class Sender:
    """Sends mails through `send`."""

    def __init__(self, store: Connections, writer: Writer, send: Send) -> None:
        self._store, self._writer, self._send = store, writer, send
        # By what became of them: sent, failed (to be tried again), given_up.
        self.outcomes: Counter[str] = Counter()

    def begin(self) -> None:
        """Begins to do so, in a thread that ends with the process."""
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
        """Sends the mail that is due first; False if none is. Raises Unavailable."""
        with self._store.read() as conn:
            if not outbox.is_due(conn, now):
                return False
        with self._store.write() as conn:
            mail = outbox.claim(conn, now)
            letter = self._writer.letter(conn, mail, now) if mail else None
        if mail is not None:
            self._deliver(mail, letter, now)
        return True

    def _deliver(self, mail: Mail, letter: Letter | None, now: float) -> None:
        if letter is not None:
            try:
                self._send(letter)
            except Undelivered as error:
                self._give_up(mail, letter, error, now)
                return
        with self._store.write() as conn:
            outbox.done(conn, mail)
        self.outcomes["sent"] += 1

    def _give_up(self, mail: Mail, letter: Letter, error: Undelivered, now: float) -> None:
        """For now, or for ever; links that nobody got do not count."""
        with self._store.write() as conn:
            for secret in letter.secrets:
                links.forget(conn, secret)
            if error.lasting:
                outbox.done(conn, mail)
            again = not error.lasting and outbox.failed(conn, mail, now)
        self.outcomes["failed" if again else "given_up"] += 1
        log.warning("an e-mail was not sent", kind=mail.kind, error=str(error), again=again)
