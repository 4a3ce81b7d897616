"""One player's session at this gateway: its open decisions and its stream.

A session outlives its stream by the grace time. Its move clocks stop while the bot is away. After
it reconnects, the bot gets every open decision again, with the time that was left but at least a
second. All this time comes out of one allowance for all its absences (`allowance`), so that
reconnecting buys no time to think.

Decisions that came together and are sent together share a clock, which starts when they are sent.
It also runs while the bot could take more decisions but does not read earlier messages.

Times are monotonic seconds.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from arena.base.instant import Instant
from arena.protocol.internal.relay_pb2 import Delivery, RelayMessage, Reply
from arena.protocol.v1.play_pb2 import ArenaMessage, Choices, Problem
from arena.service.gateway.limits import MOST_IN_A_MESSAGE
from arena.service.gateway.sessions.allowance import AbsenceAllowance
from arena.service.gateway.sessions.answers import Answers
from arena.service.gateway.sessions.batches import DecisionBatch, batches_of, fill
from arena.service.gateway.sessions.load import Meter, SessionLoad
from arena.service.gateway.sessions.notices import Notices
from arena.service.gateway.sessions.open_decisions import OpenDecisions
from arena.service.gateway.sessions.outputs import PROBLEMS, Bundle, Outputs
from arena.service.gateway.sessions.stream import UNREAD_DECISION, Stream
from arena.service.live.player_presence import Paces, Presence


class PlayerSession:
    """One player's session at the gateway."""

    # Outcomes of decisions whose player stays away, or violates the protocol.
    away: ClassVar[Reply.Outcome] = Reply.DISCONNECT
    broken: ClassVar[Reply.Outcome] = Reply.ERROR

    def __init__(
        self,
        presence: Presence,
        stream: Stream,
        outputs: Outputs,
        grace_s: float,
        max_unread: int,
        allowance_s: float | None = None,
    ) -> None:
        """At most `max_unread` bytes of notices wait for a bot that does not read them. Of the
        grace time `allowance_s` is left, if the bot comes from another gateway."""
        self.presence = presence
        self.author = stream.login.author or -presence.player  # a bot without owner is its own
        self.stream: Stream | None = stream
        self._outputs = outputs
        self.allowance = AbsenceAllowance(grace_s, allowance_s)
        self._open = OpenDecisions()
        self._notices = Notices(max_unread)
        self._load = SessionLoad()

    @property
    def in_flight(self) -> int:
        """Decisions sent and not answered."""
        return self._open.held

    @property
    def open(self) -> int:
        """Decisions not answered, sent or not."""
        return len(self._open)

    @property
    def idle(self) -> bool:
        """Whether a connected bot has read everything, and has no open decision."""
        return self.stream is not None and not self.stream.blocked and not self._open

    @property
    def meter(self) -> Meter:
        return self._load.meter

    def current_presence(self, now: float | None = None) -> Presence:
        """Return the presence as it is now, or was when its decisions changed last."""
        return replace(
            self.presence,
            in_flight=self.in_flight,
            latency_ms=self._load.latency_ms,
            queue=round(self._load.queue(now), 1),
        )

    def paces(self) -> Paces:
        """Return how fast the bot has answered so far."""
        return Paces(self.presence.max_in_flight, self.meter.by_game)

    # From the worker

    def enqueue(self, delivery: Delivery) -> None:
        """Queue a delivery of a worker. A decision that is open already stays as it is."""
        self._notices.enqueue(delivery, everything=self.presence.notices)
        batches = self._batches_of(delivery)
        if batches:
            self.meter.asks(delivery.game)
        for batch in batches:
            for reply_to in self._open.add(batch):
                self._outputs.replies.expect_no_longer(reply_to)
        self._wake()

    def _batches_of(self, delivery: Delivery) -> list[DecisionBatch]:
        return batches_of(delivery)

    def _wake(self) -> None:
        if self.stream is not None:
            self.stream.wake()

    # To the bot

    def next_message(self, stream: Stream, now: float) -> bytes | None:
        """Return the next encoded ArenaMessage for this stream, or None if there is nothing to
        send. Queued messages come first, then notices and as many decisions as may be in flight,
        whose clocks start."""
        if (queued := stream.next_queued()) is not None:
            return queued
        if stream.closed or stream is not self.stream:
            return None  # a stream that was replaced gets no decisions
        free = min(self.presence.max_in_flight - self.in_flight, MOST_IN_A_MESSAGE)
        count = min(free, self._open.waiting)
        if not count and not self._notices:
            return None
        self._report_dropped(stream)
        message = RelayMessage()
        self._notices.fill(message.batch)
        sent = self._open.send(count, now)
        self._load.changes(now, self.in_flight, self._open.waiting)
        fill(message.batch, sent, self.presence.packed)
        self._outputs.decisions_sent += count
        stream.asked(count)
        return message.SerializeToString()

    def _report_dropped(self, stream: Stream) -> None:
        if dropped := self._notices.take_dropped():
            self._outputs.notices_dropped += dropped
            sentence = PROBLEMS["notices_dropped"].format(count=dropped)
            problem = Problem(code="notices_dropped", message=sentence)
            stream.send(ArenaMessage(problem=problem))

    # From the bot

    def answer(
        self, stream: Stream, choices: Choices, now: float, *, explained: bool = True
    ) -> None:
        """Take the bot's answers. Choices that answer nothing are reported to the bot, or only
        counted unless `explained`."""
        if stream is not self.stream:
            return
        if self._open.next_end <= self._outputs.late_by:
            late_by = self._outputs.late_by
            self._end(Reply.TIMEOUT, now, lambda batch: batch.ends <= late_by)
        held = self.in_flight

        def latencies(batch: DecisionBatch, count: int, cpu_us: Sequence[int]) -> Sequence[int]:
            return self._latencies_us(batch, count, cpu_us, now)

        answers = Answers(choices, self._open, latencies, self.broken)
        for batch, latencies_us in answers.latencies_us:
            self.allowance.regain(len(latencies_us) * batch.allowed)
            self._load.answered(latencies_us)
        answers.report_problems(stream, self._outputs, explained=explained)
        self._load.changes(now, self.in_flight, self._open.waiting, held - self.in_flight)
        self._send_replies(answers.bundles, now)
        if self._open.waiting:
            self._wake()

    def _latencies_us(
        self, batch: DecisionBatch, count: int, cpu_us: Sequence[int], now: float
    ) -> Sequence[int]:
        """Return the latencies of `count` answers to a batch; only hosts send `cpu_us`."""
        return [batch.latency_us(now)] * count

    def _send_replies(self, bundles: Mapping[str, Bundle], now: float) -> None:
        for reply_to, bundle in bundles.items():
            self._outputs.replies.add(reply_to, bundle, now)

    def contract_broken(self, sentence: str, now: float) -> None:
        """The stream ends because the bot violated the protocol: the decisions it held are errors,
        or go back to the workers."""
        self._end(self.broken, now, lambda batch: batch.sent is not None, error=sentence)

    # Time

    def overdue(self, judged: float) -> bool:
        """Return whether a clock ran out by then."""
        return self.stream is not None and self._open.overdue(judged)

    def asked_since(self, since: float) -> bool:
        """Return whether the bot held a decision with a clock since then."""
        return self.in_flight > 0 or self._load.changed >= since

    def tick(self, now: float, judged: float | None = None) -> bool:
        """End decisions whose time was up by `judged` (default: now), and a stream that the bot
        does not read. Return False if the player has stayed away for the grace time."""
        if self.stream is None:
            return self.allowance.lasts(now, awaited=bool(self._open))
        over = now if judged is None else judged
        if not self.stream.blocked and over < self._open.next_end:
            return True  # as for most of thousands, fifty times a second
        self._check_unread(self.stream, now, over)
        if over >= self._open.next_end:
            self._end(Reply.TIMEOUT, now, lambda batch: batch.ends <= over)
            self._open.update_end()
            self._wake()
        return True

    def _check_unread(self, stream: Stream, now: float, over: float) -> None:
        if stream.blocked:
            free = max(0, self.presence.max_in_flight - self.in_flight)
            if self._open.unread(free, now, over):
                self._end(Reply.TIMEOUT, now, lambda batch: batch.expired_unread(over))
                stream.close(UNREAD_DECISION, reconnect=True)
        stream.check_unread(over, thinking=self.in_flight > 0)

    def forgive(self, since: float, until: float) -> None:
        """Give every clock back the time in which no answers could come or were read."""
        self._open.forgive(since, until)
        if self.stream is not None:
            self.stream.forgive(since, until)
        self.meter.skip(until - since)

    def hold_absence(self, since: float, until: float) -> None:
        """Do not count this time as absence."""
        if self.stream is None:
            self.allowance.hold(since, until)

    def disconnected(self, at: Instant) -> None:
        """The stream is lost: clocks stop, and the grace time starts."""
        self.stream = None
        self.allowance.start(at.monotonic)
        self.meter.holds(at.monotonic, 0)
        self.presence = replace(self.presence, away_since=at.unix)
        self._open.stop(at.monotonic)

    def reconnected(self, presence: Presence, stream: Stream, at: Instant) -> None:
        """The bot has a new stream: open decisions are sent again."""
        now, overdue = at.monotonic, set[DecisionBatch]()
        if self.stream is not None:
            overdue = {one for one in self._open.batches() if one.expired(now)}
            self.disconnected(at)
        self.presence, self.stream = presence, stream
        self.allowance.end(self._open.begun(), now, awaited=bool(self._open))
        self._end(Reply.TIMEOUT, now, lambda batch: batch.left <= 0 and batch in overdue)
        self._end(Reply.DISCONNECT, now, lambda batch: batch.left <= 0)
        self._open.send_again()
        self.meter.holds(now, 0)

    # The end of a session

    def given_up(self, now: float) -> None:
        """The player stayed away: every decision becomes a fault, or goes back to the workers."""
        self._end(self.away, now)

    def moved(self, now: float, judged: float) -> None:
        """The bot is at another gateway: give all decisions back to the workers, which give it the
        rest of its time. The clocks stop at `judged`, unless the bot was away before."""
        if self.stream is not None:
            self._open.stop(judged)
        self._end(Reply.BOUNCED, now, used=DecisionBatch.used_us)

    def bounce(self, now: float) -> None:
        """Give all decisions back to the workers, for another gateway, at no cost of time."""
        self._end(Reply.BOUNCED, now)

    def bounce_unsent(self, now: float) -> None:
        """Give back the decisions that were not sent."""
        self._end(Reply.BOUNCED, now, lambda batch: batch.sent is None)

    def _end(
        self,
        outcome: Reply.Outcome,
        now: float,
        which: Callable[[DecisionBatch], bool] = lambda _: True,
        error: str = "",
        used: Callable[[DecisionBatch], int] = lambda _: 0,  # microseconds, if they go back
    ) -> None:
        held = self.in_flight
        bundles = defaultdict[str, Bundle](Bundle)
        for ticket, batch in self._open.end(which):
            latency_us = used(batch) if outcome == Reply.BOUNCED else batch.latency_us(now)
            reply = Reply(ticket=ticket, outcome=outcome, error=error, latency_us=latency_us)
            bundles[batch.reply_to].others.append(reply)
        self._send_replies(bundles, now)
        if self.stream is not None:
            over = held - self.in_flight if outcome in (Reply.TIMEOUT, Reply.ERROR) else 0
            self._load.changes(now, self.in_flight, self._open.waiting, over)
