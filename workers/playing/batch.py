"""The run of a tournament's batches: runs the commands of `workers.schedule` with Redis and the
database."""

import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import redis
import structlog
from sqlalchemy import Connection

from arena.base import instant, tracing
from arena.base.errors import Unavailable
from arena.base.instant import read_clock
from arena.base.tracing import Tracer
from arena.games.match import Seat
from arena.protocol.internal.checkpoint_pb2 import Checkpoint
from arena.service.live import keys, mailbox
from arena.store import Store, save
from arena.store.engine import WRITING
from arena.store.matches.model import MatchResult
from arena.store.registry import bots, built
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import batches, hosted, tournaments, withdrawals
from arena.store.tournaments.batches import Batch
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import format_of
from arena.tournaments.formats.spec import BY_TOURNAMENT
from workers.playing import redis_commands
from workers.playing.checkpointing import encode_checkpoint, result_of
from workers.playing.lease import Lease
from workers.schedule import (
    ClaimedBatch,
    Command,
    MatchFactory,
    Patience,
    RunOutcome,
    Schedule,
    ScheduleLimits,
)
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
from workers.setup import metrics

log = structlog.get_logger()


@dataclass(frozen=True)
class RunContext:
    """The dependencies and limits of a run."""

    store: Store
    client: redis.Redis
    limits: ScheduleLimits
    stop_requested: Callable[[], bool]  # whether this process is stopping
    advance: Callable[[int], object]  # has a tournament advanced after a batch is finished
    progress: Callable[[], object] = lambda: None  # called before each pass
    withdraw_after: int = 0  # forfeits in a row before an absent player is withdrawn; 0 for never


class BatchRun:
    """A run of a batch, and of other batches of the tournament that join it. It ends when all are
    finished, its time slice is over, or it is stopped."""

    def __init__(
        self,
        context: RunContext,
        tournament: Tournament,
        batch: Batch,
        players: Mapping[int, RegisteredBot],
        lease: Lease,
    ) -> None:
        self.context, self.tournament, self.lease = context, tournament, lease
        self.leases: dict[int, Lease] = {}  # by batch
        self._checkpoints: dict[int, bytes | None] = {}  # the stored ones, by batch
        self._positions: dict[int, tuple[int, int]] = {}  # the first one and their number, by batch
        with context.store.read() as conn:
            source = tournaments.source(conn, tournament.id)
            given_up = built.given_up(conn, players)
        seats = {player: Seat(bot.name, bot.version) for player, bot in players.items()}
        waiting = [player for player, bot in players.items() if bot.waits_for_host]
        by_hosts = frozenset(waiting).difference(given_up)
        spec, group = tournament.spec, 0
        if spec.isolation == BY_TOURNAMENT:
            group = tournament.id
        self.schedule = Schedule(
            MatchFactory(spec, tournament.players, seats, source, by_hosts, group),
            context.limits,
            tickets(),
            read_clock(),
            shows_people=tournament.kind == "table",
            patience=_patience(tournament, context.withdraw_after),
        )
        self.join(batch, lease)

    def play(self) -> RunOutcome:
        """Plays until the batches are finished or the time is up."""
        schedule, context = self.schedule, self.context
        while schedule.outcome is None:
            context.progress()
            if context.stop_requested():
                schedule.stop_requested()
            for command in schedule.next_commands(read_clock()):
                self.carry_out(command)
        return schedule.outcome

    def release(self) -> None:
        """Releases the leases of the unfinished batches."""
        for number in list(self.leases):
            self._release(number)

    def _release(self, number: int) -> None:
        self.leases.pop(number).release()
        metrics.LEASES.labels("released").inc()

    def wait_for_people(self) -> bool:
        """Changes the lease to the waiting state, after a run with the outcome WAITING_FOR_PEOPLE.
        Returns False if the person has answered."""
        (batch,) = self.schedule.batches
        asked = min(active.asked_at for active in self.schedule.matches.open.values())
        left_s = asked + self.tournament.spec.move_ms / 1000 - read_clock().unix
        return self.leases[batch.number].wait_for_person(batch.outbound.reply_to, left_s)

    def carry_out(self, command: Command, limits: Mapping[str, int] = WRITING) -> None:
        """Runs a command of the schedule, and passes the answer to it. `limits` are for database
        writes."""
        match command:
            case CollectReplies():
                for _, replies in redis_commands.collect(command, self.context.client):
                    self.schedule.replies_received(replies, read_clock())
            case Deliver() | CheckPresence() | MarkGone() | CheckGateways():
                redis_commands.carry_out(command, self.schedule, self.context.client)
            case RenewLeases(numbers):
                self._renew(numbers)
            case Save():
                self._save(command, limits)
            case ReleaseLease(number):
                self._release(number)
            case AdvanceTournament():
                self.context.advance(self.tournament.id)

    # Batches

    def join(self, batch: Batch, lease: Lease) -> None:
        """Adds a batch whose lease this run has, without its stored matches."""
        self.leases[batch.number] = lease
        metrics.LEASES.labels("taken").inc()
        with self.context.store.read() as conn:
            positions = batch.first, len(batch.matches)
            over = save.settled(conn, self.tournament.id, *positions)
            withdrawn = withdrawals.of_all(conn, [self.tournament.id])
        self._checkpoints[batch.number] = batch.checkpoint
        self._positions[batch.number] = positions
        claimed = ClaimedBatch(batch.number, batch.matches, over, keys.new_reply_list())
        if batch.checkpoint:
            claimed = self._resumed(batch, over, Checkpoint.FromString(batch.checkpoint))
        self.schedule.entrants_withdrawn(withdrawn[self.tournament.id])
        self.schedule.batch_claimed(claimed, read_clock())

    def _resumed(self, batch: Batch, over: set[int], saved: Checkpoint) -> ClaimedBatch:
        came = mailbox.collect(self.context.client, [saved.reply_to], 0, 1, 0)
        replies = [each for _, each in came]
        return ClaimedBatch(
            batch.number, batch.matches, over, saved.reply_to, saved.matches, replies
        )

    def _renew(self, numbers: Sequence[int]) -> None:
        if not all(self.leases[number].renew() for number in numbers):
            self.schedule.lease_lost()
            metrics.LEASES.labels("lost").inc()
            return
        number = self.tournament.id
        with self.context.store.read() as conn:
            running = tournaments.get(conn, number).state == "running"
            withdrawn = withdrawals.of_all(conn, [number])
            by_hosts = hosted.among(conn, self.tournament.players)
        self.schedule.hosted_players(by_hosts)
        self.schedule.entrants_withdrawn(withdrawn[number])
        self.schedule.leases_renewed(read_clock(), running=running)

    # Storing

    def _save(self, command: Save, limits: Mapping[str, int]) -> None:
        """Stores results, ratings and the state of batches in one transaction."""
        tournament = self.tournament.id
        finished = [result_of(active, tournament) for active in command.finished]
        blobs = {each.batch: encode_checkpoint(each) for each in command.checkpoints}
        changed = {n: blob for n, blob in blobs.items() if blob != self._checkpoints[n]}
        cancelled, withdrawn = command.cancelled, command.withdrawn
        if not (finished or command.completed or changed or cancelled or withdrawn):
            return
        begun = instant.now()
        with self.context.store.write(limits) as conn:
            save.save_results(conn, finished)
            if withdrawn:
                withdrawals.withdraw(conn, tournament, withdrawn, read_clock().unix)
            if cancelled:
                save.cancel_matches(conn, tournament, cancelled)
            lost = [number for number in command.completed if not self._finish(conn, number)]
            for number, blob in changed.items():
                batches.save_checkpoint(conn, tournament, number, blob)
        self._checkpoints |= changed
        metrics.saved(finished)
        if trace := tracing.tracer():
            _trace_results(trace, finished, begun)
        for entrant in withdrawn:
            log.info(
                "bot is withdrawn", tournament=tournament, bot=self.tournament.spec.bots[entrant]
            )
        if lost:  # the next run plays them
            raise Unavailable(
                f"The database has lost stored matches of tournament {tournament}, probably in a"
                " failover. They are played again."
            )

    def _finish(self, conn: Connection, number: int) -> bool:
        """Marks a batch as finished; False if matches that this run stored are missing, as after a
        failover to a server that lacked the last commits."""
        tournament = self.tournament.id
        if save.missing(conn, tournament, *self._positions[number]):
            return False
        batches.finish_batch(conn, tournament, number)
        return True


def _trace_results(trace: Tracer, finished: Sequence[MatchResult], storing: float) -> None:
    """Traces results that were stored by a transaction that started at `storing` (Unix seconds)."""
    for result in finished:
        number = tracing.number_of(result.id)
        if trace.samples(number):
            times = result.started, result.finished, storing, instant.now()
            started, over, began, stored = (round(1e9 * at) for at in times)
            about: tracing.Attributes = {"match": result.id, "tournament": result.tournament}
            trace.span(number, "result", started, stored, {**about, "game": result.game})
            trace.span(number, "play", started, over)
            trace.span(number, "store", began, stored, {"results": len(finished)})


def _patience(tournament: Tournament, withdraw_after: int) -> Patience | None:
    """The patience of a tournament; None for interactive matches."""
    if tournament.kind != "tournament":
        return None
    spec, began = tournament.spec, tournament.started or 0.0
    if tournament.waiting_since > began:  # it was resumed
        began = tournament.waiting_since + spec.start_grace_s
    # If results decide the pairings, absent players forfeit without limit.
    most = 0 if format_of(spec.format).needs_results else withdraw_after
    return Patience(began, spec.start_grace_s, most)


def begin(context: RunContext, tournament: int, number: int, lease: Lease) -> BatchRun | None:
    """The run of a leased batch; None if it is finished or its tournament is not running."""
    with context.store.read() as conn:
        found = tournaments.get(conn, tournament)
        batch = batches.get_batch(conn, tournament, number)
        players = bots.by_players(conn, found.players)
    if found.state != "running" or batch.done:
        return None
    return BatchRun(context, found, batch, players, lease)


CHUNK = 512  # numbers drawn at a time, because each system call is slow
LARGEST = (1 << 63) - 1


def tickets() -> Iterator[int]:
    """Yields random numbers from 1 to 2**63 - 1 without end. Consecutive numbers would reveal to a
    bot how many decisions others had, and which moves were forced."""
    layout = struct.Struct(f"<{CHUNK}Q")
    while True:
        for number in layout.unpack(os.urandom(layout.size)):
            if ticket := number & LARGEST:
                yield ticket
