"""Carries out the commands that need Redis alone and that a schedule gives for one tournament or
for several alike."""

from __future__ import annotations

import redis

from arena.instant import read_clock
from arena.live import absence, mailbox, presence
from workers import metrics
from workers.presence_check import take_snapshot
from workers.schedule import Schedule
from workers.schedule.commands import CheckGateways, CheckPresence, Deliver, MarkGone
from workers.schedule.shared import SharedSchedule


def carry_out(
    command: Deliver | CheckPresence | MarkGone | CheckGateways,
    schedule: Schedule | SharedSchedule,
    client: redis.Redis,
) -> None:
    """Does it, and tells the schedule what came of it. Raises RedisError."""
    match command:
        case Deliver(deliveries):
            mailbox.deliver(client, deliveries)
            metrics.sent(deliveries)
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
