"""A thread of the dashboard that detects offline bots, and queues notifications of their authors
by e-mail (`sending`) or webhook (`dashboard/webhooks`)."""

from __future__ import annotations

from collections.abc import Callable

from arena.base import instant
from arena.service.live.reader import Live
from arena.store.engine import Connections
from arena.store.registry.mail import absences
from dashboard.system.background import repeat

EVERY_S = 30.0


class Lookout:
    """Detects offline bots in `live`. Without `webhooks`, only e-mails are queued."""

    def __init__(
        self, store: Connections, live: Callable[[list[int]], Live], *, webhooks: bool = True
    ) -> None:
        self._store, self._live, self._webhooks = store, live, webhooks

    def begin(self) -> None:
        """Start a daemon thread."""
        repeat(
            lambda: self.look(instant.now()),
            EVERY_S,
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
