"""The loop around a shared schedule: a task that plays waiting batches of several tournaments.

An error in one tournament removes only that tournament from the run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import structlog

from arena.base.errors import SchemaMismatch
from arena.base.instant import read_clock
from arena.service.live import mailbox, overload, ready
from arena.service.live.ready import Claimed
from arena.store.engine import SHARED, WRITING
from arena.store.tournaments import batches, hosted, tournaments, withdrawals
from workers.playing import redis_commands
from workers.playing.batch import BatchRun, RunContext, begin
from workers.playing.lease import HELD_S, Lease, renew_all, task_of
from workers.playing.spectators import Spectators
from workers.schedule import RunOutcome
from workers.schedule.commands import (
    CheckGateways,
    CheckPresence,
    ClaimBatches,
    CollectReplies,
    Deliver,
    ForTournament,
    Leave,
    MarkGone,
    RenewAllLeases,
)
from workers.schedule.shared import SharedCommand, SharedSchedule
from workers.setup import metrics
from workers.setup.connections import AWAY

log = structlog.get_logger()


class SharedRun:
    """A run of all batches that it claims."""

    def __init__(
        self,
        context: RunContext,
        holder: str,
        give_back: Callable[[Iterable[Lease], int, BaseException], object],
        put_back: Callable[[int], object],
    ) -> None:
        """All leases get this `holder`. `give_back` gives up the leases of a failed tournament,
        `put_back` queues a tournament's open batches again."""
        self.context, self.holder = context, holder
        self._give_back, self._put_back = give_back, put_back
        self.runs: dict[int, BatchRun] = {}  # by tournament
        self.spectators = Spectators(context.client)
        self._outgoing = mailbox.Outgoing(context.client)
        limits = context.limits
        self.schedule = SharedSchedule(limits.window, limits.slice_s, read_clock())

    def play(self) -> None:
        """Plays until no batch waits or the time is up. Raises RedisError and SchemaMismatch. Gives
        up all leases on any error."""
        try:
            with self._outgoing:
                self._play()
        except BaseException as error:
            for tournament, run in self.runs.items():
                self._give_back(run.leases.values(), tournament, error)
            raise

    def _play(self) -> None:
        self.schedule.slow_down(overload.share(self.context.client))
        # If this task's process died before, it continues with the batches that it held.
        for claimed in ready.held_by(self.context.client, task_of(self.holder)):
            if self._lease(claimed).take():
                self._join(claimed)
        while not self.schedule.finished:
            self.context.progress()
            if self.context.stop_requested():
                self.schedule.stop_requested()
            for command in self.schedule.next_commands(read_clock()):
                self.carry_out(command)
            self.spectators.look(self.runs, read_clock().monotonic)

    def carry_out(self, command: SharedCommand) -> None:
        """Runs a command of the schedule, and passes the answer to it."""
        match command:
            case CollectReplies():
                for reply_list, replies in redis_commands.collect(command, self.context.client):
                    self.schedule.replies_received(reply_list, replies, read_clock())
            case Deliver():
                redis_commands.deliver(command, self._outgoing.deliver)
            case CheckPresence() | MarkGone() | CheckGateways():
                redis_commands.carry_out(command, self.schedule, self.context.client)
            case ForTournament(tournament, own):
                if run := self.runs.get(tournament):  # None if an earlier command failed
                    with self._isolated(tournament):
                        run.carry_out(own, SHARED if len(self.runs) > 1 else WRITING)
            case Leave(tournament, outcome):
                self._leave(tournament, outcome)
            case RenewAllLeases(held):
                self._renew(held)
            case ClaimBatches(room, excluded):
                client = self.context.client
                for claimed in ready.claim(client, self.holder, HELD_S, room, excluded):
                    self._join(claimed)

    @contextmanager
    def _isolated(self, tournament: int) -> Iterator[None]:
        """Removes a tournament from the run on an error."""
        try:
            yield
        except (SchemaMismatch, *AWAY):
            raise
        except Exception as error:
            if tournament in self.schedule.schedules:
                self.schedule.drop(tournament)
            if run := self.runs.pop(tournament, None):
                log.warning("tournament leaves the run", tournament=tournament, error=str(error))
                self._give_back(run.leases.values(), tournament, error)

    # Batches

    def _lease(self, claimed: Claimed) -> Lease:
        return Lease(self.context.client, claimed.tournament, claimed.number, self.holder)

    def _join(self, claimed: Claimed) -> None:
        tournament, number = claimed.tournament, claimed.number
        if tournament in self.runs and number in self.runs[tournament].leases:
            return
        lease = self._lease(claimed)
        try:
            if not self._begin(tournament, number, lease):
                lease.release()
        except BaseException as error:
            if run := self.runs.get(tournament):
                run.leases.pop(number, None)
            self._give_back([lease], tournament, error)
            if not isinstance(error, Exception) or isinstance(error, (SchemaMismatch, *AWAY)):
                raise
            log.warning(
                "batch cannot be played", tournament=tournament, batch=number, error=str(error)
            )

    def _begin(self, tournament: int, number: int, lease: Lease) -> bool:
        """Adds a batch. Returns False if it is finished."""
        if run := self.runs.get(tournament):
            with self.context.store.read() as conn:
                batch = batches.get_batch(conn, tournament, number)
            if not batch.done:
                run.join(batch, lease)
            return not batch.done
        limits = replace(self.context.limits, slice_s=self.schedule.time_left(read_clock()))
        begun = begin(replace(self.context, limits=limits), tournament, number, lease)
        if begun is None:
            return False
        self.runs[tournament] = begun
        self.schedule.join(tournament, begun.schedule, begun.tournament.weight)
        return True

    def _leave(self, tournament: int, outcome: RunOutcome) -> None:
        if (run := self.runs.pop(tournament, None)) is None:
            return  # its last command failed, and its leases are given up
        run.release()
        log.info("tournament leaves the run", tournament=tournament, outcome=outcome.name.lower())
        if outcome is RunOutcome.SUSPENDED:
            self._put_back(tournament)

    def _renew(self, held: Mapping[int, Sequence[int]]) -> None:
        leases = [self.runs[each].leases[number] for each in held for number in held[each]]
        lost = set()
        for lease, renewed in zip(leases, renew_all(self.context.client, leases), strict=True):
            if not renewed:
                lost.add(lease.tournament)
                metrics.LEASES.labels("lost").inc()
        with self.context.store.read() as conn:
            running = tournaments.running(conn, held)
            withdrawn = withdrawals.of_all(conn, held)
            players = {one for each in held for one in self.runs[each].tournament.players}
            by_hosts = hosted.among(conn, players)
        for each in held:
            self.runs[each].schedule.hosted_players(by_hosts)
            self.runs[each].schedule.entrants_withdrawn(withdrawn[each])
        self.schedule.slow_down(overload.share(self.context.client))
        found = {each: None if each in lost else each in running for each in held}
        self.schedule.leases_renewed(found, read_clock())
