"""The mail of one pass: everything that goes to a bot travels in one message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import redis

from arena.live import mailbox
from arena.live.people import PAGE
from arena.protocol.internal.relay_pb2 import Delivery
from workers.routes import Routes

Notice = Literal["started", "rounds", "faults", "ended"]


class Mail:
    """Deliveries being gathered, one per player."""

    def __init__(self, client: redis.Redis, routes: Routes, reply_to: str) -> None:
        self.client = client
        self.routes = routes
        self.reply_to = reply_to
        self.deliveries: dict[int, Delivery] = {}

    def tell(self, players: Sequence[int], kind: Notice, message: Callable[[], bytes]) -> None:
        """Adds a notice for those players who are there and want it.

        `message` encodes it; it is called only if there are any.
        """
        if wanting := [player for player in players if self.routes.wants(player, kind)]:
            encoded = message()
            for player in wanting:
                getattr(self._to(player), kind).append(encoded)

    def ask(self, player: int, ticket: int, time_ms: int, decision: bytes) -> None:
        """Adds a question, an encoded arena.v1.Decision."""
        self._to(player).asks.add(ticket=ticket, time_ms=time_ms, decision=decision)

    def _to(self, player: int) -> Delivery:
        delivery = self.deliveries.get(player)
        if delivery is None:
            delivery = Delivery(player=player, reply_to=self.reply_to)
            self.deliveries[player] = delivery
        return delivery

    def send(self) -> None:
        """Puts the deliveries into the gateways' inboxes; people read what is put aside."""
        by_gateway: dict[str, list[Delivery]] = {}
        for player, delivery in self.deliveries.items():
            gateway = self.routes.gateway(player)
            if gateway and gateway != PAGE:
                by_gateway.setdefault(gateway, []).append(delivery)
        self.deliveries = {}
        if by_gateway:
            mailbox.deliver(self.client, by_gateway)
