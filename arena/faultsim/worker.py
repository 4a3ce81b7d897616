"""A worker in a simulation: drives the real shared schedule of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol

from arena.faultsim.clock import SimClock
from arena.faultsim.redis_model import RedisModel
from arena.faultsim.store_model import StoreModel
from arena.live.mailbox import count
from arena.pairing import PlannedMatch
from arena.protocol.internal.relay_pb2 import Delivery
from workers.schedule import ClaimedBatch, Command, Limits, MatchFactory, Outcome, Schedule
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
    """What a worker reaches."""

    clock: SimClock
    redis: RedisModel
    store: StoreModel
    factory: MatchFactory

    def claim(self) -> tuple[int, Sequence[PlannedMatch]] | None:
        """The next batch of the queue."""

    def give_back(self, batch: int) -> None:
        """Puts a batch back into the queue."""

    def deliver(self, gateway: str, deliveries: Sequence[Delivery]) -> None:
        """Sends to a gateway's inbox."""


class SimWorker:
    """One run: from its start to its end, or its death."""

    def __init__(
        self,
        arena: Arena,
        rng: Random,
        limits: Limits,
        tournament: int,
        ended: Callable[[SimWorker], object],
    ) -> None:
        self._arena, self._rng, self._ended, self._limits = arena, rng, ended, limits
        self._tournament = tournament
        self.alive = True
        self.held: set[int] = set()  # batches
        self._tickets = iter(lambda: rng.getrandbits(62) + 1, 0)
        at = arena.clock.instant()
        self.schedule = SharedSchedule(limits.window, limits.slice_s, at)
        self._collecting: CollectReplies | None = None
        self._waits = 0  # numbers the waits, so that an old timer ends no new one
        self._received = 0
        arena.clock.call_after(0.0, self._play)

    def crash(self) -> None:
        """The process is gone; its batches are handed out again, as when its leases expire."""
        self.alive = False
        self._stop_listening()
        self._give_all_back()

    def _give_all_back(self) -> None:
        for batch in sorted(self.held):
            self._arena.give_back(batch)
        self.held.clear()

    def _claim(self, room: int) -> None:
        """Claims one batch after the other, as long as there is room."""
        while room > 0 and (batch := self._arena.claim()):
            self.held.add(batch[0])
            self._begin(*batch)
            room -= len(batch[1])

    def _begin(self, number: int, matches: Sequence[PlannedMatch]) -> None:
        arena, at = self._arena, self._arena.clock.instant()
        stored = {match.position for match in matches} & arena.store.results.keys()
        if kept := arena.store.checkpoint(number):
            came = arena.redis.pop([kept.reply_to])
            replies = [each for _, each in came]
            claimed = ClaimedBatch(number, matches, stored, kept.reply_to, kept.matches, replies)
        else:
            reply_to = f"replies:{self._rng.getrandbits(64):x}"
            claimed = ClaimedBatch(number, matches, stored, reply_to)
        schedule = self.schedule.schedules.get(self._tournament)
        if schedule is None:
            schedule = Schedule(arena.factory, self._limits, self._tickets, at)
            self.schedule.join(self._tournament, schedule, weight=1.0)
        schedule.batch_claimed(claimed, at)

    def _play(self) -> None:
        """Plays until replies are to be waited for, or the run is finished."""
        schedule, clock = self.schedule, self._arena.clock
        while self.alive and not schedule.finished:
            for command in schedule.next_commands(clock.instant()):
                self._carry_out(command)
            if self._collecting is not None:
                return
        if self.alive:
            self.alive = False
            self._ended(self)

    def _carry_out(self, command: SharedCommand) -> None:
        arena, schedule = self._arena, self.schedule
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
                if arena.redis.mark_gone(player):
                    schedule.gone_marked(player)
                else:
                    schedule.gone_refused(player, at)
            case CheckGateways(gateways):
                schedule.gateways_checked(arena.redis.alive(gateways), at)
            case RenewAllLeases(held):
                schedule.leases_renewed(dict.fromkeys(held, True), at)
            case ClaimBatches(room, excluded):
                if self._tournament not in excluded:
                    self._claim(room)
            case ForTournament(_, own):
                self._carry_out_own(own)
            case Leave(_, outcome):
                assert outcome in (Outcome.DONE, Outcome.SUSPENDED)
                self._give_all_back()

    def _carry_out_own(self, command: Command) -> None:
        match command:
            case Save():
                self._arena.store.save(command)
            case ReleaseLease(batch):
                self.held.discard(batch)
            case AdvanceTournament():
                pass

    # Waiting for replies, as `arena.live.mailbox.collect` does

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
        if command is None or not self.alive:
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
        self._stop_listening()
        self._play()

    def _stop_listening(self) -> None:
        if self._collecting is not None:
            for reply_list in self._collecting.reply_lists:
                self._arena.redis.listeners.pop(reply_list, None)
        self._collecting = None
