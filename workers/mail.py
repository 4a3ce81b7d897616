"""The mail of one pass: everything that goes to a bot travels in one message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import redis

from arena.live import mailbox
from arena.live.people import PAGE
from arena.protocol.internal.relay_pb2 import Delivery
from workers.routes import Routes

Notice = Literal["started", "rounds", "faults", "ended"]


class Mail:
    """Deliveries of one batch being gathered, one per player."""

    def __init__(self, routes: Routes, reply_to: str, time_ms: int) -> None:
        """Of a batch whose questions are to be answered within so many milliseconds."""
        self.routes = routes
        self.reply_to, self.time_ms = reply_to, time_ms
        self.deliveries: dict[int, Delivery] = {}

    def tell(self, players: Sequence[int], kind: Notice, message: Callable[[], bytes]) -> None:
        """Adds a notice for those players who are there and want it.

        `message` encodes it; it is called only if there are any.
        """
        if wanting := [player for player in players if self.routes.wants(player, kind)]:
            encoded = message()
            for player in wanting:
                getattr(self._to(player), kind).append(encoded)

    def ask(self, player: int, ticket: int, decision: bytes) -> None:
        """Adds a question, an encoded arena.v1.Decision."""
        delivery = self._to(player)
        delivery.tickets.append(ticket)
        delivery.decisions.append(decision)

    def _to(self, player: int) -> Delivery:
        delivery = self.deliveries.get(player)
        if delivery is None:
            delivery = Delivery(player=player, reply_to=self.reply_to, time_ms=self.time_ms)
            self.deliveries[player] = delivery
        return delivery

    def taken(self) -> Iterator[tuple[str, Delivery]]:
        """All that has gathered, with the gateways it goes to; people read what is put aside."""
        deliveries, self.deliveries = self.deliveries, {}
        for player, delivery in deliveries.items():
            gateway = self.routes.gateway(player)
            if gateway and gateway != PAGE:
                yield gateway, delivery


def send(client: redis.Redis, mails: Iterable[Mail]) -> None:
    """Puts what has gathered into the gateways' inboxes, one letter for each."""
    by_gateway: dict[str, list[Delivery]] = {}
    for mail in mails:
        for gateway, delivery in mail.taken():
            by_gateway.setdefault(gateway, []).append(delivery)
    if by_gateway:
        mailbox.deliver(client, by_gateway)
