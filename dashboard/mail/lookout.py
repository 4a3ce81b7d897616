"""A thread of the dashboard that sees which bots are gone, so their authors are told, by e-mail
(`sending`) or by a webhook (`dashboard/webhooks`)."""

from __future__ import annotations

from collections.abc import Callable

from arena.base import instant
from arena.service.live.reader import Live
from arena.store.engine import Connections
from arena.store.registry.mail import absences
from dashboard.system.background import repeat

EVERY_S = 30.0


class Lookout:
    """Looks at what `live` tells of players. Without `webhooks` it has nothing sent to any."""

    def __init__(
        self, store: Connections, live: Callable[[list[int]], Live], *, webhooks: bool = True
    ) -> None:
        self._store, self._live, self._webhooks = store, live, webhooks

    def begin(self) -> None:
        """Begins to do so, in a thread that ends with the process."""
        repeat(
            lambda: self.look(instant.now()),
            EVERY_S,
            name="lookout",
            unavailable="cannot look for absent bots",
            broke="looking for absent bots broke",
        )

    def look(self, now: float) -> None:
        """Notes which bots are not connected that are to play. Raises Unavailable."""
        with self._store.read() as conn:
            expected = absences.expected(conn, webhooks=self._webhooks)
        live = self._live(list(expected))
        if not expected or not (live.known and live.gateway):
            return  # nobody can tell, or it is the arena that is away
        present = {bot for player, bot in expected.items() if player in live.connected}
        absent = set(expected.values()) - present
        with self._store.write() as conn:
            absences.note(conn, present, absent, now, webhooks=self._webhooks)
