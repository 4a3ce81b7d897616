"""Runs the commands that only need Redis, for the schedules of one or several tournaments."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import cast

import redis

from arena.base import tracing
from arena.base.instant import read_clock
from arena.protocol.internal.relay_pb2 import Delivery, Replies
from arena.service.live import keys, mailbox, presence
from arena.service.live.player_presence import decode
from workers.schedule import Schedule
from workers.schedule.commands import (
    CheckGateways,
    CheckPresence,
    CollectReplies,
    Deliver,
    MarkGone,
)
from workers.schedule.routes import PresenceSnapshot
from workers.schedule.shared import SharedSchedule
from workers.setup import metrics

SENT = "sent"  # the start of the spans of decisions


def carry_out(
    command: Deliver | CheckPresence | MarkGone | CheckGateways,
    schedule: Schedule | SharedSchedule,
    client: redis.Redis,
) -> None:
    """Runs a command, and passes the answer to the schedule. Raises RedisError."""
    match command:
        case Deliver():
            deliver(command, partial(mailbox.deliver, client))
        case CheckPresence(players):
            schedule.presence_checked(take_snapshot(client, players), read_clock())
        case MarkGone(player):
            since = presence.mark_gone(client, player)
            if since is None:
                schedule.gone_refused(player, read_clock())
            else:
                schedule.gone_marked(player, since)
        case CheckGateways(gateways):
            schedule.gateways_checked(presence.gateways_alive(client, gateways), read_clock())


def deliver(
    command: Deliver, deliver_to: Callable[[Mapping[str, Sequence[Delivery]]], None]
) -> None:
    """Delivers, traces and counts decisions. Raises RedisError."""
    if tracer := tracing.tracer():
        tracer.mark(_tickets(command.deliveries), SENT)
    deliver_to(command.deliveries)
    metrics.sent(command.deliveries)


def collect(command: CollectReplies, client: redis.Redis) -> Iterator[tuple[str, Replies]]:
    """Yields replies with their lists, and traces their decisions. Raises RedisError."""
    lists, wait_s = command.reply_lists, command.wait_s
    for came in mailbox.collect(client, lists, wait_s, command.want, command.gather_s):
        if tracer := tracing.tracer():
            others = [reply.ticket for reply in came[1].others]
            tracer.ended((*came[1].tickets, *others), SENT, "decision")
        yield came


def _tickets(deliveries: Mapping[str, Iterable[Delivery]]) -> Iterator[int]:
    for of_gateway in deliveries.values():
        for delivery in of_gateway:
            yield from delivery.tickets
            yield from delivery.packed_tickets


def take_snapshot(client: redis.Redis, players: Sequence[int]) -> PresenceSnapshot:
    """Takes a snapshot of the connections of these players. Raises RedisError."""
    with client.pipeline(transaction=False) as pipeline:
        pipeline.mget([keys.presence(player) for player in players])
        pipeline.exists(keys.ANY_GATEWAY)
        pipeline.time()
        values, any_gateway, (seconds, microseconds) = pipeline.execute()
    pairs = zip(players, values, strict=True)
    present = {player: decode(value) for player, value in pairs if value is not None}
    absent = [player for player in players if player not in present]
    gone, held, left = _marks(client, absent)
    return PresenceSnapshot(
        present,
        any_gateway=bool(any_gateway),
        given_up={player: float(since) for player, since in gone.items()},
        held=held.keys(),
        left=left.keys(),
        time_us=seconds * 1_000_000 + microseconds,
    )


def _marks(client: redis.Redis, players: Sequence[int]) -> list[dict[int, bytes]]:
    """The marks of these players that are set, by kind: gone, held, left."""
    if not players:
        return [{}, {}, {}]
    kinds = keys.gone, keys.held, keys.left
    values = iter(
        cast("list[bytes | None]", client.mget([kind(each) for kind in kinds for each in players]))
    )
    return [
        {player: value for player in players if (value := next(values)) is not None} for _ in kinds
    ]
