"""What one player has open at this gateway: decisions that wait, decisions sent, its stream.

A session outlives its stream by the grace time. Its move clocks stand still while the bot is away;
once reconnected, the bot gets every open decision again, with the time that was left but at least
a second. All that comes out of one allowance for all its absences (`allowance`): reconnecting buys
no time to think.

A clock runs from when a decision is sent. It also runs while the bot, which takes more decisions
at a time than it holds, leaves unread what was sent before.

Times are monotonic seconds.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from math import inf

from arena.gateway.limits import (
    LONGEST_ACTION,
    LONGEST_ERROR,
    MOST_EXPLAINED,
    MOST_IN_A_MESSAGE,
)
from arena.gateway.meter import Meter
from arena.gateway.sessions.allowance import AbsenceAllowance
from arena.gateway.sessions.outputs import PROBLEMS, Outputs
from arena.gateway.sessions.pending import Notices, PendingDecision
from arena.gateway.sessions.replies import Bundle
from arena.gateway.sessions.stream import UNREAD_DECISION, Stream
from arena.instant import Instant, overlap
from arena.live.answer_rates import Paces
from arena.live.player_presence import Presence
from arena.protocol.internal.relay_pb2 import Delivery, RelayMessage, Reply
from arena.protocol.v1.play_pb2 import ArenaMessage, Choice, Problem

# Looked up once: on a message class an enum's name costs a search.
ANSWER, ERROR = Reply.ANSWER, Reply.ERROR

LATENCY_WEIGHT = 0.05  # of a new answer in the moving mean


class PlayerSession:
    """One player's session at the gateway."""

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
        grace time `allowance_s` is left, as far as anything is known of before."""
        self.presence = presence
        self.stream: Stream | None = stream
        self._outputs = outputs
        self.allowance = AbsenceAllowance(grace_s, allowance_s)
        self._pending: dict[int, PendingDecision] = {}  # by ticket, all
        self._unsent: deque[PendingDecision] = deque()
        self._notices = Notices(max_unread)
        self._next_timeout = inf  # no decision times out before
        self._away_since = 0.0
        self._latency_ms: float | None = None
        self.meter = Meter()

    @property
    def in_flight(self) -> int:
        """Decisions sent and not answered."""
        return len(self._pending) - len(self._unsent)

    @property
    def open(self) -> int:
        """Decisions not answered, sent or not."""
        return len(self._pending)

    def current_presence(self) -> Presence:
        """The presence as it is at this moment."""
        return replace(self.presence, in_flight=self.in_flight, latency_ms=self._latency_ms)

    def paces(self) -> Paces:
        """How fast the bot has answered so far."""
        return Paces(self.presence.max_in_flight, self.meter.by_game)

    # From the worker

    def enqueue(self, delivery: Delivery) -> None:
        """Queues what a worker sent. A decision that is open already stays as it is."""
        self._notices.enqueue(delivery, everything=self.presence.notices)
        if delivery.tickets:
            self.meter.asks(delivery.game)
        allowed = delivery.time_ms / 1000
        for ticket, encoded in zip(delivery.tickets, delivery.decisions, strict=True):
            if known := self._pending.get(ticket):
                # The worker that asked first may be dead, and another one carries on.
                self._outputs.replies.expect_no_longer(known.reply_to)
                known.reply_to = delivery.reply_to
                continue
            decision = PendingDecision(ticket, encoded, allowed, delivery.reply_to, allowed)
            self._pending[ticket] = decision
            self._unsent.append(decision)
        self._wake()

    def _wake(self) -> None:
        if self.stream is not None:
            self.stream.wake()

    # To the bot

    def next_message(self, stream: Stream, now: float) -> bytes | None:
        """The next encoded ArenaMessage for this stream: what is queued there, then notices and as
        many decisions as may be in flight, whose clocks start. None if there is nothing to send."""
        if (queued := stream.next_queued()) is not None:
            return queued
        if stream.closed or stream is not self.stream:
            return None  # a stream that was replaced gets no decisions
        free = min(self.presence.max_in_flight - self.in_flight, MOST_IN_A_MESSAGE)
        count = min(free, len(self._unsent))
        if not count and not self._notices:
            return None
        self._report_dropped(stream)
        message = RelayMessage()
        self._notices.fill(message.batch)
        message.batch.decisions.extend(self._sent(count, now))
        self._outputs.decisions_sent += count
        stream.asked(count)
        return message.SerializeToString()

    def _report_dropped(self, stream: Stream) -> None:
        """Tells the bot how many notices were dropped, as soon as it reads again."""
        if dropped := self._notices.take_dropped():
            self._outputs.notices_dropped += dropped
            sentence = PROBLEMS["notices_dropped"].format(count=dropped)
            problem = Problem(code="notices_dropped", message=sentence)
            stream.send(ArenaMessage(problem=problem))

    def _sent(self, count: int, now: float) -> Iterable[bytes]:
        for _ in range(count):
            decision = self._unsent.popleft()
            if decision.offered is not None:
                decision.left = max(0.0, decision.left - (now - decision.offered))
                decision.offered = None
            decision.sent = now
            self._next_timeout = min(self._next_timeout, now + decision.left)
            yield decision.encoded()
        self.meter.holds(now, self.in_flight)

    # From the bot

    def answer(
        self, stream: Stream, choices: Iterable[Choice], now: float, *, explained: bool = True
    ) -> None:
        """Takes the bot's answers; those that answer nothing become Problems, the first of them
        one by one; unless `explained` they are only counted."""
        if stream is not self.stream:
            return
        held, unknown = self.in_flight, 0
        most = MOST_EXPLAINED if explained else 0
        bundles = defaultdict[str, Bundle](Bundle)
        for choice in choices:
            decision = self._pending.get(choice.ticket)
            if decision is None or decision.sent is None:
                unknown += 1
                if unknown <= most:
                    self._refuse(choice.ticket, "unknown_ticket")
                continue
            del self._pending[decision.ticket]
            self.allowance.regain(decision.allowed)
            latency_us = decision.latency_us(now)
            self._update_latency(latency_us / 1000)
            self._reply(bundles[decision.reply_to], decision.ticket, choice, latency_us)
        if unknown > most:
            self._outputs.problems["unknown_ticket"] += unknown - most
            if explained:
                self._explain_the_rest(stream, unknown - most)
        self.meter.holds(now, self.in_flight, held - self.in_flight)
        self._send_replies(bundles, now)
        if self._unsent:
            self._wake()

    def _send_replies(self, bundles: Mapping[str, Bundle], now: float) -> None:
        for reply_to, bundle in bundles.items():
            self._outputs.replies.add(reply_to, bundle, now)

    def _reply(self, bundle: Bundle, ticket: int, choice: Choice, latency_us: int) -> None:
        kind = choice.WhichOneof("answer")
        if kind == "index":
            bundle.tickets.append(ticket)
            bundle.indices.append(choice.index)
            bundle.latencies_us.append(latency_us)
            return
        reply = Reply(ticket=ticket, latency_us=latency_us)
        if kind == "action":
            reply.outcome, reply.action = ANSWER, choice.action[:LONGEST_ACTION]
        elif kind == "error":
            reply.outcome, reply.error = ERROR, choice.error[:LONGEST_ERROR]
        else:
            reply.outcome, reply.error = ERROR, self._refuse(ticket, "malformed_choice")
        bundle.others.append(reply)

    def _update_latency(self, latency_ms: float) -> None:
        mean = self._latency_ms
        self._latency_ms = (
            latency_ms if mean is None else mean + LATENCY_WEIGHT * (latency_ms - mean)
        )

    @staticmethod
    def _explain_the_rest(stream: Stream, count: int) -> None:
        sentence = PROBLEMS["unknown_tickets"].format(count=count)
        stream.send(ArenaMessage(problem=Problem(code="unknown_ticket", message=sentence)))

    def _refuse(self, ticket: int, code: str) -> str:
        self._outputs.problems[code] += 1
        message = PROBLEMS[code].format(ticket=ticket)
        if self.stream is not None:
            problem = Problem(code=code, message=message, ticket=ticket)
            self.stream.send(ArenaMessage(problem=problem))
        return message

    def contract_broken(self, sentence: str, now: float) -> None:
        """The bot's stream ends because of what it sent: every decision it held is an error."""
        self._end(Reply.ERROR, now, lambda decision: decision.sent is not None, error=sentence)

    # Time

    def tick(self, now: float, judged: float | None = None) -> bool:
        """Ends decisions whose time is up, and a stream that the bot does not read. False if the
        player has stayed away for the grace time. A decision whose time was up after `judged` may
        have been answered: it does not end yet."""
        if self.stream is None:
            waited_for = bool(self._pending)
            grace_s = self.allowance.left if waited_for else self.allowance.most
            return now - self._away_since < grace_s
        over = now if judged is None else judged
        if not self.stream.blocked and over < self._next_timeout:
            return True  # as for most of thousands, fifty times a second
        self._offer(now, over)
        self.stream.check_unread(over, thinking=self.in_flight > 0)
        if over >= self._next_timeout:
            self._end(Reply.TIMEOUT, now, lambda decision: decision.ends <= over)
            ends = [decision.ends for decision in self._pending.values()]
            self._next_timeout = min(ends, default=inf)
            self._wake()
        return True

    def _offer(self, now: float, over: float) -> None:
        """The clock also runs while a decision waits for nothing but a bot that does not read; it
        ends if its time was up by `over`."""
        assert self.stream is not None
        if not self.stream.blocked:
            return
        free = max(0, self.presence.max_in_flight - self.in_flight)
        for decision in islice(self._unsent, free):
            if decision.offered is None:
                decision.offered = now
        if any(decision.expired_unread(over) for decision in self._unsent):
            self._end(Reply.TIMEOUT, now, lambda decision: decision.expired_unread(over))
            self.stream.close(UNREAD_DECISION, reconnect=True)

    def forgive(self, since: float, until: float) -> None:
        """Gives every clock back the time in which no answers could come or were read."""
        if self._pending:  # as of few among thousands
            for decision in self._pending.values():
                decision.forgive(since, until)
            self._next_timeout = min(decision.ends for decision in self._pending.values())
        if self.stream is not None:
            self.stream.forgive(since, until)
        self.meter.skip(until - since)

    def hold_absence(self, since: float, until: float) -> None:
        """Does not count this time as absence."""
        if self.stream is None:
            self._away_since += overlap(self._away_since, since, until)

    def disconnected(self, at: Instant) -> None:
        """The stream is lost: clocks stop, and the grace time begins."""
        self.stream = None
        self._away_since = at.monotonic
        self.meter.holds(at.monotonic, 0)
        self.presence = replace(self.presence, away_since=at.unix)
        for decision in self._pending.values():
            if decision.sent is not None:
                decision.left = max(0.0, decision.ends - at.monotonic)

    def reconnected(self, presence: Presence, stream: Stream, at: Instant) -> None:
        """The bot has a new stream: open decisions are sent once more."""
        now, overdue = at.monotonic, set[int]()
        if self.stream is not None:
            overdue = {ticket for ticket, one in self._pending.items() if one.ends <= now}
            self.disconnected(at)
        self.presence, self.stream = presence, stream
        sent = [decision for decision in self._pending.values() if decision.sent is not None]
        absence = now - self._away_since if self._pending else 0.0
        unpaid = absence - self.allowance.spend(absence)
        for decision in sent:
            decision.left -= unpaid
        paid = self.allowance.spend(max((one.lacks() for one in sent), default=0.0))
        for decision in sent:
            decision.left += min(decision.lacks(), paid)
        self._end(Reply.TIMEOUT, now, lambda one: one.left <= 0 and one.ticket in overdue)
        self._end(Reply.DISCONNECT, now, lambda decision: decision.left <= 0)
        for decision in self._pending.values():
            decision.sent = decision.offered = None
        self._unsent = deque(self._pending.values())
        self._next_timeout = inf
        self.meter.holds(now, 0)

    # The end of a session

    def given_up(self, now: float) -> None:
        """The player stayed away: every decision becomes a fault."""
        self._end(Reply.DISCONNECT, now)

    def bounce(self, now: float) -> None:
        """Gives all decisions back to the workers: another gateway is to get them."""
        self._end(Reply.BOUNCED, now)

    def bounce_unsent(self, now: float) -> None:
        """Gives back the decisions that were not sent."""
        self._end(Reply.BOUNCED, now, lambda decision: decision.sent is None)

    def _end(
        self,
        outcome: Reply.Outcome,
        now: float,
        which: Callable[[PendingDecision], bool] = lambda _: True,
        error: str = "",
    ) -> None:
        held = self.in_flight
        bundles = defaultdict[str, Bundle](Bundle)
        for ticket, decision in list(self._pending.items()):
            if which(decision):
                del self._pending[ticket]
                latency_us = decision.latency_us(now)
                reply = Reply(ticket=ticket, outcome=outcome, error=error, latency_us=latency_us)
                bundles[decision.reply_to].others.append(reply)
        self._send_replies(bundles, now)
        self._unsent = deque(d for d in self._unsent if d.ticket in self._pending)
        if self.stream is not None:
            ended = held - self.in_flight if outcome in (Reply.TIMEOUT, Reply.ERROR) else 0
            self.meter.holds(now, self.in_flight, ended)
