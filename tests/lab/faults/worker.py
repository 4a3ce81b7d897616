"""A worker in a simulation, which drives the real shared schedule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Protocol

from arena.protocol.internal.relay_pb2 import Delivery
from arena.service.live.mailbox import count
from tests.lab.faults.clock import EPOCH, SimClock
from tests.lab.faults.queue_model import Batch
from tests.lab.faults.redis_model import RedisAway, RedisModel
from tests.lab.faults.store_model import DatabaseAway, StoreModel
from tests.lab.faults.tournament import SimTournament
from workers.playing.lease import HELD_S
from workers.schedule import ClaimedBatch, Command, Patience, RunOutcome, Schedule, ScheduleLimits
from workers.schedule.commands import (
    AdvanceTournament,
    CheckGateways,
    CheckPresence,
    ClaimBatches,
    CollectReplies,
    Deliver,
    ForTournament,
    Leave,
    MarkGone,
    ReleaseLease,
    RenewAllLeases,
    Save,
)
from workers.schedule.shared import SharedCommand, SharedSchedule


class Arena(Protocol):
    """The environment of a worker."""

    clock: SimClock
    redis: RedisModel
    store: StoreModel
    tournaments: dict[int, SimTournament]
    withdraw_after: int  # matches that absent bots forfeit in a row

    def deliver(self, gateway: str, deliveries: Sequence[Delivery]) -> None:
        """Send to the inbox of a gateway."""


class SimWorker:
    """A worker task, from its start to its end or crash."""

    def __init__(
        self,
        arena: Arena,
        rng: Random,
        limits: ScheduleLimits,
        batch: int,
        ended: Callable[[SimWorker], object],
    ) -> None:
        """Start the task. `batch` is the number of matches in a batch."""
        self._arena, self._rng, self._ended, self._limits = arena, rng, ended, limits
        self._batch = batch
        self.alive = True
        self.holder = f"{rng.getrandbits(64):x}"
        self._frozen_until = 0.0
        self._tickets = iter(lambda: rng.getrandbits(62) + 1, 0)
        self.schedule = SharedSchedule(limits.window, limits.slice_s, arena.clock.instant())
        self._collecting: CollectReplies | None = None
        self._waits = 0  # number of the current wait, so that old timers do not end it
        self._received = 0
        arena.clock.call_after(0.0, self._play)

    def crash(self) -> None:
        """End the process without notice; its leases expire."""
        self.alive = False
        self._stop_listening()

    def freeze(self, seconds: float) -> None:
        """Pause the process for `seconds` seconds."""
        self._frozen_until = self._arena.clock.now + seconds

    @property
    def _frozen(self) -> bool:
        return self._arena.clock.now < self._frozen_until

    # Batches

    def _claim(self, room: int, excluded: Sequence[int]) -> None:
        queue = self._arena.redis.queue
        for batch in queue.claim(self.holder, HELD_S, room, self._batch, excluded):
            try:
                self._begin(batch)
            except DatabaseAway:
                self._release(batch)

    def _release(self, batch: Batch) -> None:
        self._arena.redis.reach()
        self._arena.redis.queue.release(batch, self.holder)

    def _begin(self, batch: Batch) -> None:
        arena, at = self._arena, self._arena.clock.instant()
        tournament, number = batch
        matches = arena.tournaments[tournament].batches[number]
        stored = {match.position for match in matches} & arena.store.positions(tournament)
        if kept := arena.store.checkpoint(tournament, number):
            replies = [each for _, each in arena.redis.pop([kept.reply_to])]
            claimed = ClaimedBatch(number, matches, stored, kept.reply_to, kept.matches, replies)
        else:
            reply_to = f"replies:{self._rng.getrandbits(64):x}"
            claimed = ClaimedBatch(number, matches, stored, reply_to)
        schedule = self.schedule.schedules.get(tournament)
        if schedule is None:
            factory = arena.tournaments[tournament].factory
            left_s = self.schedule.time_left(at)
            limits = ScheduleLimits(self._limits.window, left_s, self._limits.grace_s)
            grace_s, most = factory.spec.start_grace_s, arena.withdraw_after
            patience = Patience(EPOCH, grace_s, most)
            schedule = Schedule(factory, limits, self._tickets, at, patience=patience)
            self.schedule.join(tournament, schedule, weight=1.0)
        schedule.entrants_withdrawn(arena.store.withdrawn_from(tournament))
        schedule.batch_claimed(claimed, at)

    def _give_back(self, tournament: int) -> None:
        """Release the batches of a tournament."""
        for batch in self._arena.redis.queue.held():
            if batch[0] == tournament:
                self._release(batch)

    # Playing

    def _play(self) -> None:
        """Play until replies are missing, or the task is finished."""
        if self._frozen:
            self._arena.clock.call_at(self._frozen_until, self._play)
            return
        schedule, clock = self.schedule, self._arena.clock
        try:
            while self.alive and not schedule.finished:
                for command in schedule.next_commands(clock.instant()):
                    self._carry_out(command)
                if self._collecting is not None:
                    return
        except (RedisAway, DatabaseAway):
            self._abort()
            return
        if self.alive:
            self._end()

    def _abort(self) -> None:
        """End the task because Redis or the database is unavailable, and release its batches."""
        self._stop_listening()
        if self._arena.redis.works:
            for tournament in list(self.schedule.schedules):
                self._give_back(tournament)
        self._end()

    def _end(self) -> None:
        self.alive = False
        self._ended(self)

    def _carry_out(self, command: SharedCommand) -> None:
        arena, schedule = self._arena, self.schedule
        arena.redis.reach()
        at = arena.clock.instant()
        match command:
            case CollectReplies():
                self._collect(command)
            case Deliver(deliveries):
                for gateway, letter in deliveries.items():
                    arena.deliver(gateway, letter)
            case CheckPresence(players):
                schedule.presence_checked(arena.redis.snapshot(players), at)
            case MarkGone(player):
                since = arena.redis.mark_gone(player)
                if since is None:
                    schedule.gone_refused(player, at)
                else:
                    schedule.gone_marked(player, since)
            case CheckGateways(gateways):
                schedule.gateways_checked(arena.redis.alive(gateways), at)
            case RenewAllLeases(held):
                schedule.leases_renewed(self._renewed(held), at)
            case ClaimBatches(room, excluded):
                self._claim(room, excluded)
            case ForTournament(tournament, own):
                self._carry_out_own(tournament, own)
            case Leave(tournament, outcome):
                if outcome is not RunOutcome.DONE:
                    self._give_back(tournament)

    def _renewed(self, held: Mapping[int, Sequence[int]]) -> dict[int, bool | None]:
        self._arena.store.check()
        queue = self._arena.redis.queue
        found: dict[int, bool | None] = {}
        for tournament, numbers in held.items():
            renewed = [queue.renew((tournament, one), self.holder, HELD_S) for one in numbers]
            found[tournament] = True if all(renewed) else None
            withdrawn = self._arena.store.withdrawn_from(tournament)
            self.schedule.schedules[tournament].entrants_withdrawn(withdrawn)
        return found

    def _carry_out_own(self, tournament: int, command: Command) -> None:
        match command:
            case Save():
                try:
                    self._arena.store.save(tournament, command)
                except DatabaseAway:
                    self._drop(tournament)
            case ReleaseLease(batch):
                self._release((tournament, batch))
            case AdvanceTournament():
                pass

    def _drop(self, tournament: int) -> None:
        if tournament in self.schedule.schedules:
            self.schedule.drop(tournament)
        self._give_back(tournament)

    # Waiting for replies, as `arena.service.live.mailbox.collect` does

    def _collect(self, command: CollectReplies) -> None:
        self._collecting, self._received = command, 0
        for reply_list in command.reply_lists:
            self._arena.redis.listeners[reply_list] = self._receive
        self._wait(command.wait_s)
        self._receive()

    def _wait(self, seconds: float) -> None:
        self._waits += 1
        this = self._waits
        self._arena.clock.call_after(seconds, lambda: self._enough() if this == self._waits else 0)

    def _receive(self) -> None:
        command = self._collecting
        if command is None or not self.alive or self._frozen:
            return
        first = not self._received
        for reply_list, replies in self._arena.redis.pop(command.reply_lists):
            self.schedule.replies_received(reply_list, replies, self._arena.clock.instant())
            self._received += count(replies)
        if self._received >= max(1, command.want):
            self._wait(0.0)
        elif self._received and first:
            self._wait(command.gather_s)

    def _enough(self) -> None:
        if self._frozen:
            self._arena.clock.call_at(self._frozen_until, self._enough)
            return
        try:
            self._receive()  # replies of the last moment, or of a pause
        except RedisAway:
            self._abort()
            return
        if self.alive and self._collecting is not None:
            self._stop_listening()
            self._play()

    def _stop_listening(self) -> None:
        if self._collecting is not None:
            for reply_list in self._collecting.reply_lists:
                self._arena.redis.listeners.pop(reply_list, None)
        self._collecting = None
