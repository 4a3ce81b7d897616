"""What one player has open at this gateway: decisions that wait, decisions sent, its stream.

A session outlives its stream by the grace time. Its move clocks stand still while the bot is away;
once reconnected, the bot gets every open decision again, with the time that was left but at least
a second. All that comes out of one allowance for all its absences (`allowance`): reconnecting buys
no time to think.

A clock runs from when a decision is sent, for all that came together and are sent together. It
also runs while the bot, which takes more decisions at a time than it holds, leaves unread what was
sent before.

Times are monotonic seconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import ClassVar

from arena.base.instant import Instant, overlap
from arena.protocol.internal.relay_pb2 import Delivery, RelayMessage, Reply
from arena.protocol.v1.play_pb2 import ArenaMessage, Choice, Choices, Problem
from arena.service.gateway.limits import (
    LONGEST_ACTION,
    LONGEST_ERROR,
    MOST_EXPLAINED,
    MOST_IN_A_MESSAGE,
)
from arena.service.gateway.meter import Meter, RecentMean
from arena.service.gateway.sessions.allowance import AbsenceAllowance
from arena.service.gateway.sessions.batches import DecisionBatch, batches_of, fill
from arena.service.gateway.sessions.notices import Notices
from arena.service.gateway.sessions.open_decisions import OpenDecisions
from arena.service.gateway.sessions.outputs import PROBLEMS, Outputs
from arena.service.gateway.sessions.replies import Bundle
from arena.service.gateway.sessions.stream import UNREAD_DECISION, Stream
from arena.service.live.answer_rates import Paces
from arena.service.live.player_presence import Presence

# Looked up once: on a message class an enum's name costs a search.
ANSWER, ERROR, TIMEOUT = Reply.ANSWER, Reply.ERROR, Reply.TIMEOUT

LATENCY_WEIGHT = 0.05  # of a new answer in the moving mean


class PlayerSession:
    """One player's session at the gateway."""

    # What becomes of decisions whose player stays away, or breaks the contract.
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
        grace time `allowance_s` is left, as far as anything is known of before."""
        self.presence = presence
        self.author = stream.login.author or -presence.player  # a bot without owner is its own
        self.stream: Stream | None = stream
        self._outputs = outputs
        self.allowance = AbsenceAllowance(grace_s, allowance_s)
        self._open = OpenDecisions()
        self._notices = Notices(max_unread)
        self._next_timeout = inf  # no decision times out before
        self._away_since = 0.0
        self._latency_ms: float | None = None
        self.meter = Meter()
        self._queue, self._counted = RecentMean(), 0.0  # open decisions, counted last then

    @property
    def in_flight(self) -> int:
        """Decisions sent and not answered."""
        return self._open.held

    @property
    def open(self) -> int:
        """Decisions not answered, sent or not."""
        return len(self._open)

    def current_presence(self, now: float | None = None) -> Presence:
        """The presence as it is at this moment, or was when its decisions changed last."""
        queue = self._queue.mean(self._counted if now is None else now)
        return replace(
            self.presence,
            in_flight=self.in_flight,
            latency_ms=self._latency_ms,
            queue=round(queue, 1),
        )

    def paces(self) -> Paces:
        """How fast the bot has answered so far."""
        return Paces(self.presence.max_in_flight, self.meter.by_game)

    # From the worker

    def enqueue(self, delivery: Delivery) -> None:
        """Queues what a worker sent. A decision that is open already stays as it is."""
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
        """The next encoded ArenaMessage for this stream: what is queued there, then notices and as
        many decisions as may be in flight, whose clocks start. None if there is nothing to send."""
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
        fill(message.batch, self._sent(count, now), self.presence.packed)
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

    def _sent(self, count: int, now: float) -> Sequence[DecisionBatch]:
        """The next so many decisions, whose clocks start now."""
        sent = self._open.send(count, now)
        self._next_timeout = min([self._next_timeout, *[batch.ends for batch in sent]])
        self._holds(now)
        return sent

    def _holds(self, now: float, answered: int = 0) -> None:
        """Measures the load from now on; so many decisions were answered at this moment."""
        self.meter.holds(now, self.in_flight, answered)
        self._queue.changes(now, len(self._open))
        self._counted = now

    # From the bot

    def answer(
        self, stream: Stream, choices: Choices, now: float, *, explained: bool = True
    ) -> None:
        """Takes the bot's answers; those that answer nothing become Problems, the first of them
        one by one; unless `explained` they are only counted."""
        if stream is not self.stream:
            return
        if self._next_timeout <= self._outputs.late_by:
            late_by = self._outputs.late_by
            self._end(Reply.TIMEOUT, now, lambda batch: batch.ends <= late_by)
        held, unknown = self.in_flight, list[int]()
        bundles = defaultdict[str, Bundle](Bundle)
        if choices.tickets:
            self._take_indices(choices, now, bundles, unknown)
        for choice in choices.choices:
            for batch, _, _ in self._open.answered([choice.ticket]):
                if batch is None:
                    unknown.append(choice.ticket)
                else:
                    latencies_us = self._latencies_us(batch, 1, [choice.cpu_us], now)
                    self._note_answers(batch, latencies_us)
                    self._reply(bundles[batch.reply_to], choice, latencies_us[0])
        self._refuse_unknown(stream, unknown, explained=explained)
        self._holds(now, held - self.in_flight)
        self._send_replies(bundles, now)
        if self._open.waiting:
            self._wake()

    def _take_indices(
        self, choices: Choices, now: float, bundles: Mapping[str, Bundle], unknown: list[int]
    ) -> None:
        """Takes answers by index, many at once."""
        tickets, indices, cpu_us = choices.tickets[:], choices.indices[:], choices.cpu_us[:]
        for batch, part, twice in self._open.answered(tickets):
            taken, chosen, spent = tickets[part], indices[part], cpu_us[part]
            for place in reversed(twice):
                unknown.append(taken.pop(place))
                del chosen[place], spent[place : place + 1]
            if batch is None:
                unknown += taken
            elif taken:
                latencies_us = self._latencies_us(batch, len(taken), spent, now)
                self._note_answers(batch, latencies_us)
                bundle = bundles[batch.reply_to]
                bundle.tickets += taken
                bundle.indices += chosen
                bundle.latencies_us += latencies_us

    def _latencies_us(
        self, batch: DecisionBatch, count: int, cpu_us: Sequence[int], now: float
    ) -> Sequence[int]:
        """Microseconds since so many of a batch's decisions, which are answered, were sent.
        `cpu_us` is what a host says."""
        return [batch.latency_us(now)] * count

    def _note_answers(self, batch: DecisionBatch, latencies_us: Sequence[int]) -> None:
        """Some of a batch's decisions were answered, each after so many microseconds."""
        count = len(latencies_us)
        self.allowance.regain(count * batch.allowed)
        mean, new = self._latency_ms, sum(latencies_us) / count / 1000
        if mean is not None:  # as if each of them had been counted by itself
            new += (1 - LATENCY_WEIGHT) ** count * (mean - new)
        self._latency_ms = new

    def _refuse_unknown(self, stream: Stream, unknown: Sequence[int], *, explained: bool) -> None:
        """Some choices answered nothing."""
        most = MOST_EXPLAINED if explained else 0
        for ticket in unknown[:most]:
            self._refuse(ticket, "unknown_ticket")
        if len(unknown) > most:
            self._outputs.problems["unknown_ticket"] += len(unknown) - most
            if explained:
                self._explain_the_rest(stream, len(unknown) - most)

    def _send_replies(self, bundles: Mapping[str, Bundle], now: float) -> None:
        for reply_to, bundle in bundles.items():
            self._outputs.replies.add(reply_to, bundle, now)

    def _reply(self, bundle: Bundle, choice: Choice, latency_us: int) -> None:
        kind, ticket = choice.WhichOneof("answer"), choice.ticket
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
        elif kind == "timeout":
            reply.outcome, reply.error = TIMEOUT, choice.timeout[:LONGEST_ERROR]
            reply.forfeits = choice.forfeits
        else:
            reply.outcome, reply.error = self.broken, self._refuse(ticket, "malformed_choice")
        bundle.others.append(reply)

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
        """The bot's stream ends because of what it sent: every decision it held is an error, or
        comes back."""
        self._end(self.broken, now, lambda batch: batch.sent is not None, error=sentence)

    # Time

    def overdue(self, judged: float) -> bool:
        """Whether a clock ran out by then."""
        if self.stream is None or self._next_timeout > judged:
            return False
        self._next_timeout = self._open.first_end()
        return self._next_timeout <= judged

    def asked_since(self, since: float) -> bool:
        """Whether it held a decision with a clock since then."""
        return self.in_flight > 0 or self._counted >= since

    def tick(self, now: float, judged: float | None = None) -> bool:
        """Ends decisions whose time is up, and a stream that the bot does not read. False if the
        player has stayed away for the grace time. A decision whose time was up after `judged` may
        have been answered: it does not end yet."""
        if self.stream is None:
            waited_for = bool(self._open)
            grace_s = self.allowance.left if waited_for else self.allowance.most
            return now - self._away_since < grace_s
        over = now if judged is None else judged
        if not self.stream.blocked and over < self._next_timeout:
            return True  # as for most of thousands, fifty times a second
        self._offer(now, over)
        self.stream.check_unread(over, thinking=self.in_flight > 0)
        if over >= self._next_timeout:
            self._end(Reply.TIMEOUT, now, lambda batch: batch.ends <= over)
            self._next_timeout = self._open.first_end()
            self._wake()
        return True

    def _offer(self, now: float, over: float) -> None:
        """The clock also runs while a decision waits for nothing but a bot that does not read; it
        ends if its time was up by `over`."""
        assert self.stream is not None
        if not self.stream.blocked:
            return
        self._open.offer(max(0, self.presence.max_in_flight - self.in_flight), now)
        if self._open.any_unread(over):
            self._end(Reply.TIMEOUT, now, lambda batch: batch.expired_unread(over))
            self.stream.close(UNREAD_DECISION, reconnect=True)

    def forgive(self, since: float, until: float) -> None:
        """Gives every clock back the time in which no answers could come or were read."""
        if self._open:  # as of few among thousands
            for batch in self._open.batches():
                batch.forgive(since, until)
            self._next_timeout = self._open.first_end()
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
        for batch in self._open.batches():
            batch.stop(at.monotonic)

    def reconnected(self, presence: Presence, stream: Stream, at: Instant) -> None:
        """The bot has a new stream: open decisions are sent once more."""
        now, overdue = at.monotonic, set[DecisionBatch]()
        if self.stream is not None:
            overdue = {batch for batch in self._open.batches() if batch.ends <= now}
            self.disconnected(at)
        self.presence, self.stream = presence, stream
        sent = self._open.sent()
        absence = now - self._away_since if self._open else 0.0
        unpaid = absence - self.allowance.spend(absence)
        for batch in sent:
            batch.left -= unpaid
        paid = self.allowance.spend(max((one.lacks() for one in sent), default=0.0))
        for batch in sent:
            batch.left += min(batch.lacks(), paid)
        self._end(Reply.TIMEOUT, now, lambda batch: batch.left <= 0 and batch in overdue)
        self._end(Reply.DISCONNECT, now, lambda batch: batch.left <= 0)
        self._open.send_again()
        self._next_timeout = inf
        self.meter.holds(now, 0)

    # The end of a session

    def given_up(self, now: float) -> None:
        """The player stayed away: every decision becomes a fault, or comes back."""
        self._end(self.away, now)

    def bounce(self, now: float) -> None:
        """Gives all decisions back to the workers: another gateway is to get them."""
        self._end(Reply.BOUNCED, now)

    def bounce_unsent(self, now: float) -> None:
        """Gives back the decisions that were not sent."""
        self._end(Reply.BOUNCED, now, lambda batch: batch.sent is None)

    def _end(
        self,
        outcome: Reply.Outcome,
        now: float,
        which: Callable[[DecisionBatch], bool] = lambda _: True,
        error: str = "",
    ) -> None:
        held = self.in_flight
        bundles = defaultdict[str, Bundle](Bundle)
        for ticket, batch in self._open.end(which):
            latency_us = batch.latency_us(now)
            reply = Reply(ticket=ticket, outcome=outcome, error=error, latency_us=latency_us)
            bundles[batch.reply_to].others.append(reply)
        self._send_replies(bundles, now)
        if self.stream is not None:
            over = held - self.in_flight if outcome in (Reply.TIMEOUT, Reply.ERROR) else 0
            self._holds(now, over)
