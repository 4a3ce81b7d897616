"""Plays batches, all their matches advancing together: decides what is to be done when.

Each pass sends every bot one message with all that is due to it, then gathers replies: to all that
bots hold, or whatever comes within twelve milliseconds. Answering each reply as it comes would let
the messages shrink to one decision each, at a twentieth of the speed. For the same reason a run
claims the next batch when all matches of its own have started: otherwise messages would get
smaller and smaller towards the end of each batch.

Nothing waits for people: when all open decisions are theirs, the matches are suspended with a
checkpoint, in which the dashboard reads the decision; the answer has the batch resumed.

    schedule = Schedule(...)
    schedule.batch_claimed(claimed, now())
    while schedule.outcome is None:
        for command in schedule.next_commands(now()):
            ...                      # carry it out; the answer to a check goes back to the schedule
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from math import inf

from arena import record
from arena.instant import Instant
from arena.live.player_presence import PAGE
from arena.match import Fault, Match
from arena.pairing import PlannedMatch
from arena.protocol.internal.checkpoint_pb2 import SuspendedMatch
from arena.protocol.internal.relay_pb2 import Delivery, Replies, Reply
from workers.schedule import notices
from workers.schedule.active_batch import ActiveBatch
from workers.schedule.active_match import ActiveMatch
from workers.schedule.commands import (
    AdvanceTournament,
    BatchCheckpoint,
    CheckGateways,
    CheckPresence,
    ClaimNext,
    CollectReplies,
    Command,
    Deliver,
    MarkGone,
    Outcome,
    ReleaseLease,
    RenewLeases,
    Save,
)
from workers.schedule.match_factory import MatchFactory
from workers.schedule.outbound import Outbound
from workers.schedule.routes import PresenceSnapshot, Routes

# Looked up once: on a message class an enum's name costs a search.
ANSWER, TIMEOUT, DISCONNECT, ERROR = (
    Reply.ANSWER,
    Reply.TIMEOUT,
    Reply.DISCONNECT,
    Reply.ERROR,
)

GATHER_S = 0.012
CLAIM_S = 0.25  # how often another batch is looked for; idle workers have the first choice
IDLE_S = 0.1  # how long to wait for a reply before the next pass
SAVE_S = 1.5  # results are stored at least so often; each time costs several milliseconds
SAVE_MATCHES = 100
RENEW_S = 2.0  # how often leases are renewed
CHECK_GATEWAYS_S = 1.0
RESEND_S = 30.0  # a decision may have died with a Redis; gateways ignore those they hold
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
    stored: Set[int]  # positions of matches that are finished and stored
    reply_to: str  # the list for replies; the checkpoint's if there is one
    suspended: Sequence[SuspendedMatch] = ()  # matches in progress, of the checkpoint
    replies: Sequence[Replies] = ()  # what came for them meanwhile


class Schedule:
    """One run of a batch and of those it claims in addition."""

    def __init__(
        self,
        factory: MatchFactory,
        limits: Limits,
        tickets: Iterator[int],
        at: Instant,
        *,
        claims_more: bool = True,
        shows_people: bool = False,
    ) -> None:
        """`claims_more`: further batches of the tournament are claimed when there is room.
        `shows_people`: a person plays, who reads in checkpoints what happens meanwhile."""
        self._factory, self._limits, self._tickets = factory, limits, tickets
        self._claims_more, self._shows_people = claims_more, shows_people
        self.outcome: Outcome | None = None
        self.routes = Routes(factory.spec.game, factory.spec.seats, limits.grace_s)
        self.batches: list[ActiveBatch] = []
        self.to_send: deque[ActiveMatch] = deque()  # whose decision is not sent yet
        self.open: dict[int, ActiveMatch] = {}  # by ticket: whose decision a gateway holds
        self._finished: list[ActiveMatch] = []  # not stored yet
        self._stopping = False
        self._unshown = False  # whether a match advanced since people were last shown it
        self._deadline = inf  # the time slice begins with the first pass
        self._saved = self._renewed = self._gateways_checked = at.monotonic
        self._shown = self._claimed = at.monotonic
        self._checked: set[type[Command]] = set()  # what has been checked for the next pass

    # What is to be done

    def next_commands(self, at: Instant) -> Sequence[Command]:
        """What is to be done now, in this order. The caller asks again when that is done, until
        there is an outcome."""
        if self.outcome is not None:
            return ()
        if all(batch.complete for batch in self.batches):
            self.outcome = Outcome.DONE
            return self._save(at)
        people = self._only_people_asked()
        if people or self._stopping or at.monotonic >= self._deadline:
            self.outcome = Outcome.WAITING_FOR_PEOPLE if people else Outcome.SUSPENDED
            return self._save(at, checkpoints=True)
        if checks := tuple(self._due_checks(at.monotonic)):
            return checks
        self._checked.clear()
        return self._pass(at)

    def _due_checks(self, now: float) -> Iterator[Command]:
        """What must be known before the next pass."""
        if now - self._renewed >= RENEW_S:
            yield RenewLeases([batch.number for batch in self.batches])
            return
        if CheckPresence not in self._checked and self.routes.check_due(now):
            yield CheckPresence(self.routes.players)
        else:
            yield from map(MarkGone, self.routes.to_mark(now))
        if now - self._gateways_checked >= CHECK_GATEWAYS_S:
            yield CheckGateways({active.gateway for active in self.open.values()})
        if self._claim_due(now):
            yield ClaimNext()

    def _claim_due(self, now: float) -> bool:
        """Whether to look for another batch: there is room, and nothing left to start."""
        if not self._claims_more or ClaimNext in self._checked or now - self._claimed < CLAIM_S:
            return False
        return self._room > 0 and not any(batch.to_start for batch in self.batches)

    @property
    def _room(self) -> int:
        """How many more matches may be in flight."""
        return self._limits.window - len(self.to_send) - len(self.open)

    def _pass(self, at: Instant) -> list[Command]:
        now = at.monotonic
        if self._deadline == inf:
            # Not before: however short it is and however long loading takes, there is progress.
            self._deadline = now + self._limits.slice_s
        self._start_matches(at)
        self._send_decisions(at)
        commands = self._deliver()
        # While the bots think.
        waited_long = len(self._finished) >= SAVE_MATCHES or now - self._saved >= SAVE_S
        if self._finished and waited_long:
            commands += self._save(at)
        if self._unshown and now - self._shown >= SHOW_S:
            self._unshown, self._shown = False, now
            commands += self._save(at, checkpoints=True)
        if self.batches:
            commands.append(self._collect())
        return commands

    def _collect(self) -> CollectReplies:
        lists = [batch.outbound.reply_to for batch in self.batches]
        wait_s = 0.0 if self._only_people_asked() else IDLE_S
        return CollectReplies(lists, wait_s, self._held_by_bots(), GATHER_S)

    def _held_by_bots(self) -> int:
        """Open decisions that bots hold by now; the others wait in a gateway for their turn."""
        open_ = Counter([active.player for active in self.open.values()])
        limit = self.routes.max_in_flight
        return sum(min(count, limit(player)) for player, count in open_.items())

    def _only_people_asked(self) -> bool:
        """Whether every open decision is one for a person."""
        if self.to_send or not self.open or any(batch.to_start for batch in self.batches):
            return False
        return all(active.gateway == PAGE for active in self.open.values())

    # Batches

    def batch_claimed(self, claimed: ClaimedBatch, at: Instant) -> None:
        """Plays a batch from now on, resuming the matches of its checkpoint."""
        self._claim_looked_for(at)
        spec = self._factory.spec
        outbound = Outbound(claimed.reply_to, spec.move_ms, spec.game)
        batch = ActiveBatch(claimed.number, claimed.matches, claimed.stored, outbound)
        self.batches.append(batch)
        self._checked.discard(CheckPresence)
        entrants = {entrant for each in self.batches for entrant in each.entrants}
        self.routes.serve(self._factory.players[entrant] for entrant in entrants)
        self._resume(batch, claimed, at)

    def nothing_to_claim(self, at: Instant) -> None:
        """No batch waits in the queue."""
        self._claim_looked_for(at)

    def _claim_looked_for(self, at: Instant) -> None:
        self._claimed = at.monotonic
        self._checked.add(ClaimNext)

    def _resume(self, batch: ActiveBatch, claimed: ClaimedBatch, at: Instant) -> None:
        """Goes on with matches in progress, whose decisions may have been answered meanwhile."""
        suspended = {match.position: match for match in claimed.suspended}
        resumed = []
        for planned in batch.resume(suspended.keys()):
            kept = suspended[planned.position]
            setup = self._factory.setup(planned, kept.ruleset)
            match = record.replay(setup, kept.log, kept.reasons)
            players = self._factory.players_of(planned)
            active = ActiveMatch(batch, planned, players, match, kept.started)
            active.next_decision(kept.ticket, kept.asked)
            active.rounds_notified = len(match.game.rounds) - 1
            active.reached = set(players)
            resumed.append(active)
        self.open |= {active.ticket: active for active in resumed}
        for replies in claimed.replies:
            self.replies_received(replies, at)
        self.to_send.extend(active for active in resumed if self.open.pop(active.ticket, None))

    def leases_renewed(self, at: Instant, *, running: bool) -> None:
        """All leases are held. A tournament that is not `running` any more is suspended."""
        self._renewed = at.monotonic
        self._stopping |= not running

    def lease_lost(self) -> None:
        """Another run has taken a batch over: nothing more may be done for it."""
        self.outcome = Outcome.LEASE_LOST

    def stop_requested(self) -> None:
        """The process is about to end: everything is suspended."""
        self._stopping = True

    # Matches

    def _start_matches(self, at: Instant) -> None:
        """Starts as many matches as there is room for."""
        waiting = (batch for batch in self.batches if batch.to_start)
        batch = next(waiting, None)
        while batch is not None and self._room > 0:
            self._start(batch, batch.to_start.popleft(), at)
            if not batch.to_start:
                batch = next(waiting, None)

    def _start(self, batch: ActiveBatch, planned: PlannedMatch, at: Instant) -> None:
        match = Match(self._factory.setup(planned))
        active = ActiveMatch(batch, planned, self._factory.players_of(planned), match, at.unix)
        batch.running += 1
        notices.notify_started(active, self.routes)
        self._advanced(active, None, at)

    def _advanced(self, active: ActiveMatch, fault: Fault | None, at: Instant) -> None:
        """A match went on: notifies the players, and lines up its next decision or its result."""
        if fault is not None:
            notices.notify_fault(active, fault, self.routes)
        notices.notify_progress(active, self.routes)
        self._unshown = self._shows_people
        if active.match.finished:
            active.batch.running -= 1
            active.finished = at.unix
            self._finished.append(active)
        else:
            active.next_decision(next(self._tickets), at.unix)
            self.to_send.append(active)

    # Decisions

    def _send_decisions(self, at: Instant) -> None:
        """Sends decisions to players who are connected; who has been gone too long is at fault."""
        waiting = []
        while self.to_send:
            active = self.to_send.popleft()
            active.gateway = self.routes.gateway(active.player)
            if active.gateway == PAGE and self._out_of_time(active, at):
                self._time_out(active, at)
            elif active.gateway:
                self._send(active, at)
            elif self.routes.gone(active.player, at.monotonic):
                self._charge_absence(active, at)
            else:
                waiting.append(active)
        self.to_send.extend(waiting)

    def _send(self, active: ActiveMatch, at: Instant) -> None:
        notices.send_decision(active)
        active.reached.add(active.player)
        active.sent_at = at.monotonic
        self.open[active.ticket] = active

    def _deliver(self) -> list[Command]:
        """What has gathered, by gateway."""
        by_gateway: dict[str, list[Delivery]] = {}
        for batch in self.batches:
            for gateway, delivery in batch.outbound.take(self.routes.gateway):
                by_gateway.setdefault(gateway, []).append(delivery)
        return [Deliver(by_gateway)] if by_gateway else []

    def _out_of_time(self, active: ActiveMatch, at: Instant) -> bool:
        """Whether a person has used up their time: no gateway keeps their clock."""
        return at.unix - active.asked_at >= self._factory.spec.move_ms / 1000

    def _time_out(self, active: ActiveMatch, at: Instant) -> None:
        allowed = self._factory.spec.move_ms
        fault = active.match.fail("timeout", f"No answer within {allowed} ms.", 1000 * allowed)
        self._advanced(active, fault, at)

    def _charge_absence(self, active: ActiveMatch, at: Instant) -> None:
        """Charges a disconnect. Who was not there for any of the match, or left the table,
        forfeits it."""
        spec, player = self._factory.spec, active.player
        name, left = self._factory.bots[player].bot, self.routes.has_left(player)
        reason = (
            f"{name} left the table."
            if left
            else (
                f"{name} was not connected as a player of {spec.game} at {spec.seats} seats "
                f"for longer than the grace time of {self._limits.grace_s:g} s."
            )
        )
        forfeit = left or player not in active.reached
        self._advanced(active, active.match.fail("disconnect", reason, forfeit=forfeit), at)

    # Replies

    def replies_received(self, replies: Replies, at: Instant) -> None:
        """Carries replies into their matches; duplicates and late ones are ignored."""
        answers = zip(replies.tickets, replies.indices, replies.latencies_us, strict=True)
        for ticket, index, latency_us in answers:
            if active := self.open.pop(ticket, None):
                self._advanced(active, active.match.answer(index, latency_us), at)
        for reply in replies.others:
            if active := self.open.pop(reply.ticket, None):
                self._other_reply(active, reply, at)

    def _other_reply(self, active: ActiveMatch, reply: Reply, at: Instant) -> None:
        if reply.outcome == ANSWER:
            self._advanced(active, active.match.answer(reply.action, reply.latency_us), at)
        elif reply.outcome == TIMEOUT:
            self._time_out(active, at)
        elif reply.outcome == ERROR:
            self._advanced(active, active.match.fail("error", reply.error, reply.latency_us), at)
        elif reply.outcome == DISCONNECT:
            # The bot was away too long for this decision. Whether it still is, Redis knows.
            self.routes.forget(active.player)
            self._charge_absence(active, at)
        else:
            self.routes.forget(active.player)
            self.to_send.append(active)

    # Presence and gateways

    def presence_checked(self, snapshot: PresenceSnapshot, at: Instant) -> None:
        """The players are connected as the snapshot says."""
        self._checked.add(CheckPresence)
        self.routes.update(snapshot, at.monotonic)

    def gone_marked(self, player: int) -> None:
        """The player is not connected, and is marked as gone."""
        self.routes.marked(player)

    def gone_refused(self, player: int, at: Instant) -> None:
        """The player is connected after all."""
        self.routes.not_marked(player, at.monotonic)

    def gateways_checked(self, alive: Set[str], at: Instant) -> None:
        """Takes decisions back from gateways that are not alive, and resends very old ones."""
        self._gateways_checked = at.monotonic
        for active in list(self.open.values()):
            if active.gateway not in alive:
                del self.open[active.ticket]
                self.routes.forget(active.player)
                self.to_send.append(active)
            elif at.monotonic - active.sent_at >= RESEND_S:
                self._send(active, at)

    # Storing

    def _save(self, at: Instant, *, checkpoints: bool = False) -> list[Command]:
        """Results, and what becomes of the batches; with `checkpoints` also the matches in
        progress. What is for bots goes out first: they need not wait for the database."""
        commands = self._deliver()
        completed = [batch for batch in self.batches if batch.complete]
        self.batches = [batch for batch in self.batches if not batch.complete]
        kept = self._checkpoints() if checkpoints else ()
        if self._finished or completed or kept:
            numbers = [batch.number for batch in completed]
            commands.append(Save(self._finished, numbers, kept))
        self._finished, self._saved = [], at.monotonic
        for batch in completed:
            commands += [ReleaseLease(batch.number), AdvanceTournament()]
        return commands

    def _checkpoints(self) -> Sequence[BatchCheckpoint]:
        """The matches in progress of each batch. Those not started need no keeping."""
        running = defaultdict[ActiveBatch, list[ActiveMatch]](list)
        for active in self._in_progress():
            running[active.batch].append(active)
        return [
            BatchCheckpoint(batch.number, batch.outbound.reply_to, running[batch])
            for batch in self.batches
        ]

    def _in_progress(self) -> Iterable[ActiveMatch]:
        return chain(self.to_send, self.open.values())
