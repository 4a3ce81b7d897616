"""What a host has open at this gateway for one hosted bot.

The host has the clock: it measures the bot's CPU time, and says when that was too much. So nothing
ends here by time, and nobody is charged: what is late or lost is the arena's fault, and decisions
that a host does not answer any more come back to the workers.
"""

from __future__ import annotations

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
        """Queues what a worker sent, with its group."""
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
        """The CPU time that each answer took, as the host says; 0 where it does not."""
        return cpu_us or [0] * count

    def asked_since(self, since: float) -> bool:
        """Its clock is not here."""
        return False

    def tick(self, now: float, judged: float | None = None) -> bool:
        """Closes a stream that the host does not read. False if there has been no stream for the
        grace time, however much of it earlier absences have used up."""
        if self.stream is None:
            return self.allowance.lasts(now, awaited=False)
        over = now if judged is None else judged
        self.stream.check_unread(over, thinking=False, sentence=UNREAD_BY_HOST)
        return True
