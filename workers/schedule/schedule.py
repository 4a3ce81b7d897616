"""Plays batches of one tournament, all their matches advancing together: decides what is to be
done when.

Each pass sends every bot one message with all that is due to it, then gathers replies: to all that
bots hold, or whatever comes within twelve milliseconds. Answering each reply as it comes would let
the messages shrink to one decision each, at a twentieth of the speed. For the same reason batches
may join while others are played (see `shared`): otherwise messages would get smaller and smaller
towards the end of each.

Nothing waits for people: when all open decisions are theirs, the matches are suspended with a
checkpoint, in which the dashboard reads the decision; the answer has the batch resumed.

    schedule = Schedule(...)
    schedule.batch_claimed(claimed, now())
    while schedule.outcome is None:
        for command in schedule.next_commands(now()):
            ...                      # carry it out; the answer to a check goes back to the schedule
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from math import inf

from arena.base.instant import Instant
from arena.protocol.internal.checkpoint_pb2 import SuspendedMatch
from arena.protocol.internal.relay_pb2 import Delivery, Replies
from arena.tournaments.formats import PlannedMatch
from workers.schedule.absentees import Absentees, Patience
from workers.schedule.active_batch import ActiveBatch
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
from workers.schedule.match_factory import MatchFactory
from workers.schedule.matches_in_play import MatchesInPlay
from workers.schedule.outbound import Outbound
from workers.schedule.routes import CHECK_S, PresenceSnapshot, Routes
from workers.schedule.starting import Starter

GATHER_S = 0.012
IDLE_S = CHECK_S  # how long to wait for a reply before the next pass
SAVE_S = 1.5  # results are stored at least so often; each time costs several milliseconds
SAVE_MATCHES = 100
RENEW_S = 2.0  # how often leases are renewed
CHECK_GATEWAYS_S = 1.0
HOSTLESS_S = 5.0  # how long a match that somebody waits for keeps a worker that waits for a host
SHOW_S = 0.4  # how soon people see what happens while they wait for a slow bot


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a run plays at once and for how long."""

    window: int  # matches in flight together
    slice_s: float  # seconds until the rest is suspended
    grace_s: float  # seconds for which an absent bot is waited for


@dataclass(frozen=True, slots=True)
class ClaimedBatch:
    """A batch as its new run finds it."""

    number: int
    matches: Sequence[PlannedMatch]
    stored: Set[int]  # positions of matches that are finished and stored, or cancelled
    reply_to: str  # the list for replies; the checkpoint's if there is one
    suspended: Sequence[SuspendedMatch] = ()  # matches in progress, of the checkpoint
    replies: Sequence[Replies] = ()  # what came for them meanwhile


class Schedule:
    """One run of a batch, and of others of the tournament that join it.

    `window` is how many matches may be in flight together; it may change at any time.
    """

    def __init__(
        self,
        factory: MatchFactory,
        limits: Limits,
        tickets: Iterator[int],
        at: Instant,
        *,
        shows_people: bool = False,
        patience: Patience | None = None,
    ) -> None:
        """`shows_people`: a person plays, who reads in checkpoints what happens meanwhile. Without
        `patience` absent players forfeit at once, unless they are hosted, and nobody is
        withdrawn."""
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
        self._deadline = inf  # the time slice begins with the first pass
        self._saved = self._renewed = self._gateways_checked = at.monotonic
        self._shown = at.monotonic
        self._presence_checked = False  # for the next pass
        self._keeps_waiting = patience is not None
        self._hostless_since = inf  # only hosts are waited for

    # What is to be done

    def next_commands(self, at: Instant) -> Sequence[Command]:
        """What is to be done now, in this order. The caller asks again when that is done, until
        there is an outcome."""
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
        """What must be known before the next pass."""
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
        """Matches that are not finished, in flight or not started, without those that wait for a
        host, or to be started for a player who is absent or has enough under way."""
        to_start = sum(len(batch.to_start) for batch in self.batches)
        if self._starter.crowded:  # by now there may be room
            to_start += min(self.postponed, max(self.matches.room().values(), default=0))
        return len(self.matches) - self.matches.hostless + to_start

    @property
    def postponed(self) -> int:
        """Matches that wait for a player who is absent or has enough under way."""
        return sum(len(batch.postponed) for batch in self.batches)

    @property
    def crowded(self) -> bool:
        """Whether matches wait for a player who has enough under way here: then other workers
        rather play what is not claimed yet."""
        return self._starter.crowded and self.postponed > 0

    def _pass(self, at: Instant) -> list[Command]:
        now = at.monotonic
        if self._deadline == inf:
            # Not before: however short it is and however long loading takes, there is progress.
            self._deadline = now + self._limits.slice_s
        self._starter.start(self.window, at)
        self.matches.send_decisions(at)
        self._starter.withdraw_absentees(at)
        self._hostless_since = min(self._hostless_since, now) if self._lacks_hosts() else inf
        commands = self._deliver()
        # While the bots think.
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
        """What has gathered, by gateway."""
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
        """Whether every open decision is one for a person."""
        if any(batch.to_start for batch in self.batches):
            return False
        return self.matches.only_people_asked()

    def _lacks_hosts(self) -> bool:
        """Whether this run would keep a worker for nothing: somebody waits for its only match, and
        that for a host."""
        if self._keeps_waiting or any(batch.to_start for batch in self.batches):
            return False
        lacking = any(self.routes.waits_for_host(player) for player in self.routes.unreachable)
        return lacking and self.matches.only_hosts_waited_for()

    # Batches

    def batch_claimed(self, claimed: ClaimedBatch, at: Instant) -> None:
        """Plays a batch from now on, resuming the matches of its checkpoint."""
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
        """All leases are held. A tournament that is not `running` any more is suspended."""
        self._renewed = at.monotonic
        self._stopping |= not running

    def entrants_withdrawn(self, entrants: Set[int]) -> None:
        """These entrants are withdrawn, as the store has it: what is not begun of their matches is
        cancelled. To be told before a batch is claimed, and when leases are renewed."""
        self._starter.withdrawn(entrants)

    def hosted_players(self, hosted: Set[int]) -> None:
        """These are the players whom hosts are to connect by now. To be told when leases are
        renewed."""
        self.routes.hosted = hosted

    def lease_lost(self) -> None:
        """Another run has taken a batch over: nothing more may be done for it."""
        self.outcome = RunOutcome.LEASE_LOST

    def stop_requested(self) -> None:
        """The process is about to end: everything is suspended."""
        self._stopping = True

    # Replies, presence and gateways

    def replies_received(self, replies: Replies, at: Instant) -> None:
        """Carries replies into their matches; duplicates and late ones are ignored."""
        self.matches.replies_received(replies, at)

    def presence_checked(self, snapshot: PresenceSnapshot, at: Instant) -> None:
        """The players are connected as the snapshot says."""
        self._presence_checked = True
        self.routes.update(snapshot, at.monotonic)

    def gone_marked(self, player: int, since: float) -> None:
        """The player is not connected, and is marked as gone since a moment (Unix seconds)."""
        self.routes.marked(player, since)

    def gone_refused(self, player: int, at: Instant) -> None:
        """The player is connected after all."""
        self.routes.not_marked(player, at.monotonic)

    def gateways_checked(self, alive: Set[str], at: Instant) -> None:
        """Takes decisions back from gateways that are not alive, and resends very old ones."""
        self._gateways_checked = at.monotonic
        self.matches.gateways_checked(alive, at)

    # Storing

    def _save(self, at: Instant, *, checkpoints: bool = False) -> list[Command]:
        """Results, and what becomes of the batches; with `checkpoints` also the matches in
        progress. What is for bots goes out first: they need not wait for the database."""
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
        """The matches in progress of each batch. Those not started need no keeping."""
        running = self.matches.by_batch()
        return [
            BatchCheckpoint(batch.number, batch.outbound.reply_to, running.get(batch, ()))
            for batch in self.batches
        ]
