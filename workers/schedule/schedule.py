"""Decides what to do when, while batches of a tournament are played.

Each pass sends every bot one message with all its decisions, then gathers replies until all
decisions that bots hold are answered or `GATHER_S` have passed. Reacting to each reply would lead
to small messages, which are far slower. For the same reason batches may join while others are
played (see `shared`), or messages would get smaller towards the end of each batch.

A run does not wait for people. When all open decisions are for people, it suspends the matches with
a checkpoint, from which the dashboard reads the decision. The answer resumes the batch.

    schedule = Schedule(...)
    schedule.batch_claimed(claimed, now())
    while schedule.outcome is None:
        for command in schedule.next_commands(now()):
            ...                      # run it, and pass the answer to a check to the schedule
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from math import inf

from arena.base.instant import Instant
from arena.protocol.internal.checkpoint_pb2 import SuspendedMatch
from arena.protocol.internal.relay_pb2 import Delivery, Replies
from arena.tournaments.formats import PlannedMatch
from workers.schedule.absentees import Absentees, Patience
from workers.schedule.active import ActiveBatch, MatchFactory
from workers.schedule.commands import (
    AdvanceTournament,
    BatchCheckpoint,
    CheckGateways,
    CheckPresence,
    CollectReplies,
    Command,
    Deliver,
    MarkGone,
    ReleaseLease,
    RenewLeases,
    RunOutcome,
    Save,
)
from workers.schedule.matches_in_play import MatchesInPlay
from workers.schedule.outbound import Outbound
from workers.schedule.routes import CHECK_S, PresenceSnapshot, Routes
from workers.schedule.starting import Starter

GATHER_S = 0.012
IDLE_S = CHECK_S  # the longest wait for a reply before the next pass
SAVE_S = 1.5  # interval between saves of results, each of which takes several milliseconds
SAVE_MATCHES = 100
RENEW_S = 2.0  # interval between renewals of leases
CHECK_GATEWAYS_S = 1.0
HOSTLESS_S = 5.0  # how long an interactive match occupies a worker while it waits for a host
SHOW_S = 0.4  # interval of checkpoints for people while they wait for a slow bot


@dataclass(frozen=True, slots=True)
class ScheduleLimits:
    """Limits of a run."""

    window: int  # matches in flight
    slice_s: float  # seconds until all matches are suspended
    grace_s: float  # seconds that a disconnected bot has to reconnect


@dataclass(frozen=True, slots=True)
class ClaimedBatch:
    """A batch at the start of a run."""

    number: int
    matches: Sequence[PlannedMatch]
    stored: Set[int]  # positions of matches that are stored or cancelled
    reply_to: str  # the list for replies; from the checkpoint if there is one
    suspended: Sequence[SuspendedMatch] = ()  # matches in progress, from the checkpoint
    replies: Sequence[Replies] = ()  # received for them since


class Schedule:
    """A run of a batch, and of other batches of the tournament that join it. `window` is the number
    of matches that may be in flight; it may change at any time."""

    def __init__(
        self,
        factory: MatchFactory,
        limits: ScheduleLimits,
        tickets: Iterator[int],
        at: Instant,
        *,
        shows_people: bool = False,
        patience: Patience | None = None,
    ) -> None:
        """Set `shows_people` if a person plays, who sees the match through checkpoints. Without
        `patience`, absent players forfeit at once unless they are hosted, and are not withdrawn."""
        self._factory, self._limits, self.window = factory, limits, limits.window
        self._shows_people = shows_people
        self.outcome: RunOutcome | None = None
        self.batches: list[ActiveBatch] = []
        spec = factory.spec
        self.routes = Routes(
            spec.game, spec.seats, limits.grace_s, factory.hosted, together=factory.group != 0
        )
        absentees = Absentees(self.routes, patience)
        self.matches = MatchesInPlay(factory, self.routes, absentees, tickets, limits.grace_s)
        self._starter = Starter(factory, self.matches, absentees, self.batches)
        self._stopping = False
        self._deadline = inf  # the time slice starts with the first pass
        self._saved = self._renewed = self._gateways_checked = self._shown = at.monotonic
        self._presence_checked = False  # for the next pass
        self._keeps_waiting = patience is not None
        self._hostless_since = inf  # since when the run has only waited for hosts

    # Commands

    def next_commands(self, at: Instant) -> Sequence[Command]:
        """The next commands, in order. Call this again when they are done, until there is an
        outcome."""
        if self.outcome is not None:
            return ()
        if all(batch.complete for batch in self.batches):
            self.outcome = RunOutcome.DONE
            return self._save(at)
        people = self._only_people_asked()
        hostless = at.monotonic - self._hostless_since >= HOSTLESS_S
        if people or hostless or self._stopping or at.monotonic >= self._deadline:
            self.outcome = RunOutcome.WAITING_FOR_PEOPLE if people else RunOutcome.SUSPENDED
            return self._save(at, checkpoints=True)
        if checks := tuple(self._due_checks(at.monotonic)):
            return checks
        self._presence_checked = False
        return self._pass(at)

    def _due_checks(self, now: float) -> Iterator[Command]:
        if now - self._renewed >= RENEW_S:
            yield RenewLeases([batch.number for batch in self.batches])
            return
        if not self._presence_checked and self.routes.check_due(now):
            yield CheckPresence(self.routes.players)
        else:
            yield from map(MarkGone, self.routes.to_mark(now))
        if now - self._gateways_checked >= CHECK_GATEWAYS_S:
            yield CheckGateways(self.matches.gateways)

    @property
    def to_play(self) -> int:
        """The number of unfinished matches that can be played: neither postponed nor waiting for a
        host."""
        to_start = sum(len(batch.to_start) for batch in self.batches)
        if self._starter.crowded:  # players may have room by now
            to_start += min(self.postponed, max(self.matches.room().values(), default=0))
        return len(self.matches) - self.matches.hostless + to_start

    @property
    def postponed(self) -> int:
        """The number of matches whose start waits for a player that is absent or at its limit of
        concurrent matches."""
        return sum(len(batch.postponed) for batch in self.batches)

    @property
    def crowded(self) -> bool:
        """Whether matches wait for a player at its limit. Then other workers should claim further
        batches."""
        return self._starter.crowded and self.postponed > 0

    def _pass(self, at: Instant) -> list[Command]:
        now = at.monotonic
        if self._deadline == inf:
            # The slice starts here, so there is progress however long loading takes.
            self._deadline = now + self._limits.slice_s
        self._starter.start(self.window, at)
        self.matches.send_decisions(at)
        self._starter.withdraw_absentees(at)
        self._hostless_since = min(self._hostless_since, now) if self._lacks_hosts() else inf
        commands = self._deliver()
        # Saves overlap with the bots' thinking.
        finished = len(self.matches.finished)
        due = finished >= SAVE_MATCHES or (finished and now - self._saved >= SAVE_S)
        if due or self._starter.withdrawals_pending:
            commands += self._save(at)
        if self._shows_people and self.matches.advanced and now - self._shown >= SHOW_S:
            self.matches.advanced, self._shown = False, now
            commands += self._save(at, checkpoints=True)
        if self.batches:
            commands.append(self._collect())
        return commands

    def _deliver(self) -> list[Command]:
        by_gateway: dict[str, list[Delivery]] = {}
        for batch in self.batches:
            for gateway, delivery in batch.outbound.take(self.routes.gateway):
                by_gateway.setdefault(gateway, []).append(delivery)
        return [Deliver(by_gateway)] if by_gateway else []

    def _collect(self) -> CollectReplies:
        lists = [batch.outbound.reply_to for batch in self.batches]
        wait_s = 0.0 if self._only_people_asked() else IDLE_S
        return CollectReplies(lists, wait_s, self.matches.held_by_bots(), GATHER_S)

    def _only_people_asked(self) -> bool:
        """Whether all open decisions are for people."""
        if any(batch.to_start for batch in self.batches):
            return False
        return self.matches.only_people_asked()

    def _lacks_hosts(self) -> bool:
        """Whether this interactive run only waits for hosts, and occupies a worker."""
        if self._keeps_waiting or any(batch.to_start for batch in self.batches):
            return False
        lacking = any(self.routes.waits_for_host(player) for player in self.routes.unreachable)
        return lacking and self.matches.only_hosts_waited_for()

    # Batches

    def batch_claimed(self, claimed: ClaimedBatch, at: Instant) -> None:
        """Adds a batch, and resumes the matches of its checkpoint."""
        spec = self._factory.spec
        outbound = Outbound(claimed.reply_to, spec.move_ms, spec.game, self._factory.group)
        batch = ActiveBatch(claimed.number, claimed.matches, claimed.stored, outbound)
        self.batches.append(batch)
        self._presence_checked = False
        entrants = {entrant for each in self.batches for entrant in each.entrants}
        self.routes.serve(self._factory.players[entrant] for entrant in entrants)
        self.matches.resume(batch, claimed.suspended, claimed.replies, at)
        self._starter.cancel([batch])

    def leases_renewed(self, at: Instant, *, running: bool) -> None:
        """All leases are held. A tournament that is no longer `running` is suspended."""
        self._renewed = at.monotonic
        self._stopping |= not running

    def entrants_withdrawn(self, entrants: Set[int]) -> None:
        """Sets the withdrawn entrants of the store, and cancels their matches that have not
        started. Call this before a batch is claimed, and when leases are renewed."""
        self._starter.withdrawn(entrants)

    def hosted_players(self, hosted: Set[int]) -> None:
        """Sets the players that hosts have to connect. Call this when leases are renewed."""
        self.routes.hosted = hosted

    def lease_lost(self) -> None:
        """Another run has taken over a batch, so this one ends without saving."""
        self.outcome = RunOutcome.LEASE_LOST

    def stop_requested(self) -> None:
        """The process is stopping, so all matches are suspended."""
        self._stopping = True

    # Replies, presence and gateways

    def replies_received(self, replies: Replies, at: Instant) -> None:
        """Applies replies to their matches. Ignores duplicate and late ones."""
        self.matches.replies_received(replies, at)

    def presence_checked(self, snapshot: PresenceSnapshot, at: Instant) -> None:
        """Updates the players' connections."""
        self._presence_checked = True
        self.routes.update(snapshot, at.monotonic)

    def gone_marked(self, player: int, since: float) -> None:
        """The player is marked as gone since a time (Unix seconds by the clock of Redis)."""
        self.routes.marked(player, since)

    def gone_refused(self, player: int, at: Instant) -> None:
        """The player is connected after all."""
        self.routes.not_marked(player, at.monotonic)

    def gateways_checked(self, alive: Set[str], at: Instant) -> None:
        """Takes back decisions from dead gateways, and resends very old ones."""
        self._gateways_checked = at.monotonic
        self.matches.gateways_checked(alive, at)

    # Storing

    def _save(self, at: Instant, *, checkpoints: bool = False) -> list[Command]:
        """Saves results and completed batches; with `checkpoints` also the matches in progress.
        Deliveries go first, so that bots do not wait for the database."""
        commands = self._deliver()
        completed = [batch for batch in self.batches if batch.complete]
        self.batches[:] = [batch for batch in self.batches if not batch.complete]
        kept = self._checkpoints() if checkpoints else ()
        finished, self._saved = self.matches.take_finished(), at.monotonic
        withdrawn, cancelled = self._starter.take_withdrawals()
        if finished or completed or kept or withdrawn or cancelled:
            numbers = [batch.number for batch in completed]
            commands.append(Save(finished, numbers, kept, withdrawn, cancelled))
        for batch in completed:
            commands += [ReleaseLease(batch.number), AdvanceTournament()]
        return commands

    def _checkpoints(self) -> Sequence[BatchCheckpoint]:
        running = self.matches.by_batch()
        return [
            BatchCheckpoint(batch.number, batch.outbound.reply_to, running.get(batch, ()))
            for batch in self.batches
        ]
