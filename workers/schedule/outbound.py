"""Collects the messages to the bots of a batch: one per bot and pass."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from arena.games.rules import Game
from arena.protocol.internal.relay_pb2 import Delivery
from arena.service.live.player_presence import PAGE

Notice = Literal["started", "rounds", "faults", "ended"]


@dataclass(slots=True)
class _Packed:
    """The packed decisions of a delivery while it is collected."""

    delivery: Delivery
    tickets: list[int] = field(default_factory=list)
    rows: list[bytes] = field(default_factory=list)
    moves: list[bytes] = field(default_factory=list)

    def fill(self) -> None:
        """Writes them to the delivery."""
        self.delivery.packed_tickets.extend(self.tickets)
        self.delivery.rows, self.delivery.moves = b"".join(self.rows), b"".join(self.moves)


class Outbound:
    """Collects the deliveries of a batch, one per player and time for its moves. Their contents are
    already encoded."""

    def __init__(self, reply_to: str, time_ms: int, game: str, group: int = 0) -> None:
        """Replies go to the list `reply_to`, by default within `time_ms` milliseconds. All matches
        belong to `group` (see arena.v1.Decision); with 0, each is its own group."""
        self.reply_to, self.time_ms, self.game, self.group = reply_to, time_ms, game, group
        self._deliveries: dict[tuple[int, int], Delivery] = {}
        self._packed: dict[tuple[int, int], _Packed] = {}

    def add_notice(self, players: Iterable[int], kind: Notice, notice: bytes) -> None:
        """Adds an encoded notice for each of these players."""
        for player in players:
            getattr(self._delivery(player, self.time_ms), kind).append(notice)

    def add_decision(self, player: int, ticket: int, decision: bytes, time_ms: int) -> None:
        """Adds an encoded arena.v1.Decision."""
        delivery = self._delivery(player, time_ms)
        delivery.tickets.append(ticket)
        delivery.decisions.append(decision)

    def add_packed(
        self, player: int, ticket: int, row: bytes, moves: bytes, game: Game, time_ms: int
    ) -> None:
        """Adds a decision as returned by `Match.packed`. All games of a batch have the same seats
        and options."""
        packed = self._packed.get((player, time_ms))
        if packed is None:
            delivery = self._delivery(player, time_ms)
            delivery.seats = game.seats
            delivery.options.update(game.changed_options)
            packed = self._packed[player, time_ms] = _Packed(delivery)
        packed.tickets.append(ticket)
        packed.rows.append(row)
        packed.moves.append(moves)

    def _delivery(self, player: int, time_ms: int) -> Delivery:
        delivery = self._deliveries.get((player, time_ms))
        if delivery is None:
            delivery = Delivery(
                player=player,
                reply_to=self.reply_to,
                time_ms=time_ms,
                game=self.game,
                group=self.group,
            )
            self._deliveries[player, time_ms] = delivery
        return delivery

    def take(self, gateway_of: Callable[[int], str]) -> Iterator[tuple[str, Delivery]]:
        """Removes and yields all deliveries with their gateways. Drops those for people, who read
        the checkpoint, and for players without a gateway."""
        for packed in self._packed.values():
            packed.fill()
        deliveries, self._deliveries, self._packed = self._deliveries, {}, {}
        for (player, _), delivery in deliveries.items():
            gateway = gateway_of(player)
            if gateway and gateway != PAGE:
                yield gateway, delivery
