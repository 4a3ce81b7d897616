"""The run of one tournament's batches: carries out what their schedule wants, against Redis and
the database.

What is to be done when, `workers.schedule` decides; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import redis

from arena.instant import read_clock
from arena.live import keys, mailbox
from arena.match import Seat
from arena.protocol.internal.checkpoint_pb2 import Checkpoint
from arena.store import Store, save
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.registry.bots import Bot
from arena.store.tournaments import batches, tournaments
from arena.store.tournaments.batches import Batch
from arena.store.tournaments.tournaments import Tournament
from workers import metrics, redis_commands
from workers.checkpointing import encode_checkpoint, result_of
from workers.lease import Lease
from workers.schedule import ClaimedBatch, Command, Limits, MatchFactory, Outcome, Schedule
from workers.schedule.commands import (
    AdvanceTournament,
    CheckGateways,
    CheckPresence,
    CollectReplies,
    Deliver,
    MarkGone,
    ReleaseLease,
    RenewLeases,
    Save,
)
from workers.tickets import tickets


@dataclass(frozen=True)
class RunContext:
    """What a batch is played with."""

    store: Store
    client: redis.Redis
    limits: Limits
    stop_requested: Callable[[], bool]  # whether this process is about to end
    advance: Callable[[int], object]  # has a tournament advanced of which a batch is done
    progress: Callable[[], object] = lambda: None  # called before each pass


class BatchRun:
    """One run of a batch, and of others of the tournament that join it: until all of them are done,
    its time slice is over, or it is stopped."""

    def __init__(
        self,
        context: RunContext,
        tournament: Tournament,
        batch: Batch,
        players: Mapping[int, Bot],
        lease: Lease,
    ) -> None:
        self.context, self.tournament, self.lease = context, tournament, lease
        self.leases: dict[int, Lease] = {}  # of all batches it holds, by number
        self._checkpoints: dict[int, bytes | None] = {}  # what the store has, by batch
        with context.store.read() as conn:
            source = tournaments.source(conn, tournament.id)
        seats = {player: Seat(bot.name, bot.version) for player, bot in players.items()}
        self.schedule = Schedule(
            MatchFactory(tournament.spec, tournament.players, seats, source),
            context.limits,
            tickets(),
            read_clock(),
            shows_people=tournament.kind == "table",
        )
        self.join(batch, lease)

    def play(self) -> Outcome:
        """Plays until there is nothing to play or no time left."""
        schedule, context = self.schedule, self.context
        while schedule.outcome is None:
            context.progress()
            if context.stop_requested():
                schedule.stop_requested()
            for command in schedule.next_commands(read_clock()):
                self.carry_out(command)
        return schedule.outcome

    def release(self) -> None:
        """Releases the leases of what is not done."""
        for number in list(self.leases):
            self._release(number)

    def _release(self, number: int) -> None:
        self.leases.pop(number).release()
        metrics.lease("released")

    def wait_for_people(self) -> bool:
        """Turns the lease into the note that a person is thinking; False if they have answered by
        now. For a run that ended so."""
        (batch,) = self.schedule.batches
        return self.leases[batch.number].wait_for_person(batch.outbound.reply_to)

    def carry_out(self, command: Command) -> None:
        """Does what the schedule wants to be done, and gives it what it wants to know."""
        match command:
            case CollectReplies():
                self._collect(command)
            case Deliver() | CheckPresence() | MarkGone() | CheckGateways():
                redis_commands.carry_out(command, self.schedule, self.context.client)
            case RenewLeases(numbers):
                self._renew(numbers)
            case Save():
                self._save(command)
            case ReleaseLease(number):
                self._release(number)
            case AdvanceTournament():
                self.context.advance(self.tournament.id)

    def _collect(self, command: CollectReplies) -> None:
        for _, replies in mailbox.collect(
            self.context.client,
            command.reply_lists,
            command.wait_s,
            command.want,
            command.gather_s,
        ):
            self.schedule.replies_received(replies, read_clock())

    # Batches

    def join(self, batch: Batch, lease: Lease) -> None:
        """Plays a batch from now on, whose lease this run has; what is stored of it counts."""
        self.leases[batch.number] = lease
        metrics.lease("taken")
        with self.context.store.read() as conn:
            stored = matches.done_positions(
                conn, self.tournament.id, batch.first, len(batch.matches)
            )
        self._checkpoints[batch.number] = batch.checkpoint
        claimed = ClaimedBatch(batch.number, batch.matches, stored, keys.new_reply_list())
        if batch.checkpoint:
            claimed = self._resumed(batch, stored, Checkpoint.FromString(batch.checkpoint))
        self.schedule.batch_claimed(claimed, read_clock())

    def _resumed(self, batch: Batch, stored: set[int], saved: Checkpoint) -> ClaimedBatch:
        came = mailbox.collect(self.context.client, [saved.reply_to], 0, 1, 0)
        replies = [each for _, each in came]
        return ClaimedBatch(
            batch.number, batch.matches, stored, saved.reply_to, saved.matches, replies
        )

    def _renew(self, numbers: Sequence[int]) -> None:
        if not all(self.leases[number].renew() for number in numbers):
            self.schedule.lease_lost()
            metrics.lease("lost")
            return
        with self.context.store.read() as conn:
            running = tournaments.get(conn, self.tournament.id).state == "running"
        self.schedule.leases_renewed(read_clock(), running=running)

    # Storing

    def _save(self, command: Save) -> None:
        """Results, ratings, and what becomes of the batches, in one transaction."""
        tournament = self.tournament.id
        finished = [result_of(active, tournament) for active in command.finished]
        blobs = {each.batch: encode_checkpoint(each) for each in command.checkpoints}
        changed = {n: blob for n, blob in blobs.items() if blob != self._checkpoints[n]}
        if not finished and not command.completed and not changed:
            return
        with self.context.store.write() as conn:
            save.save_results(conn, finished)
            for number in command.completed:
                batches.finish_batch(conn, tournament, number)
            for number, blob in changed.items():
                batches.save_checkpoint(conn, tournament, number, blob)
        self._checkpoints |= changed
        metrics.saved(finished)


def begin(context: RunContext, tournament: int, number: int, lease: Lease) -> BatchRun | None:
    """The run of a batch that is leased; None if there is nothing to play any more."""
    with context.store.read() as conn:
        found = tournaments.get(conn, tournament)
        batch = batches.get_batch(conn, tournament, number)
        players = bots.by_players(conn, found.players)
    if found.state != "running" or batch.done:
        return None
    return BatchRun(context, found, batch, players, lease)
