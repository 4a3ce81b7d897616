"""The session of a hosted bot, whose host has the clock.

The host measures the bot's CPU time and reports timeouts. So no decision times out here. Decisions
that a host no longer answers go back to the workers, without a fault of the bot.
"""

from collections.abc import Sequence

from arena.protocol.decisions import started_with_group
from arena.protocol.internal.relay_pb2 import Delivery, Reply
from arena.service.gateway.sessions.batches import DecisionBatch, batches_of
from arena.service.gateway.sessions.player_session import PlayerSession
from arena.service.gateway.sessions.stream import UNREAD_BY_HOST


class HostedSession(PlayerSession):
    """One hosted player's session at the gateway."""

    away = Reply.BOUNCED
    broken = Reply.BOUNCED

    def enqueue(self, delivery: Delivery) -> None:
        """Queue a delivery of a worker with its group."""
        if delivery.group and delivery.started:
            started = [started_with_group(each, delivery.group) for each in delivery.started]
            del delivery.started[:]
            delivery.started.extend(started)
        super().enqueue(delivery)

    def _batches_of(self, delivery: Delivery) -> list[DecisionBatch]:
        return batches_of(delivery, to_host=True)

    def _latencies_us(
        self, batch: DecisionBatch, count: int, cpu_us: Sequence[int], now: float
    ) -> Sequence[int]:
        """Return the CPU time of each answer from the host, or 0."""
        return cpu_us or [0] * count

    def asked_since(self, since: float) -> bool:
        """Return False: the host has the clock."""
        return False

    def tick(self, now: float, judged: float | None = None) -> bool:
        """Close a stream that the host does not read. Return False after the whole grace time
        without a stream, regardless of earlier absences."""
        if self.stream is None:
            return self.allowance.lasts(now, awaited=False)
        over = now if judged is None else judged
        self.stream.check_unread(over, thinking=False, sentence=UNREAD_BY_HOST)
        return True
