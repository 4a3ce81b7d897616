"""Carries out the commands that need Redis alone and that a schedule gives for one tournament or
for several alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import redis

from arena.base import tracing
from arena.base.instant import read_clock
from arena.protocol.internal.relay_pb2 import Delivery, Replies
from arena.service.live import absence, mailbox, presence
from workers import metrics
from workers.presence_check import take_snapshot
from workers.schedule import Schedule
from workers.schedule.commands import CheckGateways, CheckPresence, Deliver, MarkGone
from workers.schedule.shared import SharedSchedule

SENT = "sent"  # where the spans of decisions that are traced begin


def carry_out(
    command: Deliver | CheckPresence | MarkGone | CheckGateways,
    schedule: Schedule | SharedSchedule,
    client: redis.Redis,
) -> None:
    """Does it, and tells the schedule what came of it. Raises RedisError."""
    match command:
        case Deliver():
            deliver(command, partial(mailbox.deliver, client))
        case CheckPresence(players):
            schedule.presence_checked(take_snapshot(client, players), read_clock())
        case MarkGone(player):
            since = absence.mark_gone(client, player)
            if since is None:
                schedule.gone_refused(player, read_clock())
            else:
                schedule.gone_marked(player, since)
        case CheckGateways(gateways):
            schedule.gateways_checked(presence.gateways_alive(client, gateways), read_clock())


def deliver(
    command: Deliver, deliver_to: Callable[[Mapping[str, Sequence[Delivery]]], None]
) -> None:
    """Delivers and counts. Raises RedisError."""
    if tracer := tracing.tracer():
        tracer.mark(_tickets(command.deliveries), SENT)
    deliver_to(command.deliveries)
    metrics.sent(command.deliveries)


def trace(replies: Replies) -> None:
    """Decisions are back at the worker."""
    if tracer := tracing.tracer():
        others = [reply.ticket for reply in replies.others]
        tracer.ended((*replies.tickets, *others), SENT, "decision")


def _tickets(deliveries: Mapping[str, Iterable[Delivery]]) -> Iterator[int]:
    for of_gateway in deliveries.values():
        for delivery in of_gateway:
            yield from delivery.tickets
            yield from delivery.packed_tickets
