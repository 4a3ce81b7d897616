"""What one player has open at this gateway: questions that wait, questions asked, its stream.

A desk outlives the stream by the grace time. Its move clock stands still while the player is
away; back again, the player gets every open question once more, with the time that was left but
at least a second. What a question gains by that, over all absences together, is limited to the
grace time: coming and going buys no time to think.

Times are of the monotonic clock, in seconds.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import inf

from arena.gateway import metrics
from arena.gateway.limits import LONGEST_ACTION, LONGEST_ERROR, MOST_IN_A_MESSAGE
from arena.gateway.outbox import Bundle, Outbox
from arena.gateway.question import Notices, Question
from arena.gateway.session import Session
from arena.live.presence import Presence
from arena.protocol.internal.relay_pb2 import Delivery, RelayMessage, Reply
from arena.protocol.v1.play_pb2 import ArenaMessage, Choice, Problem

# Looked up once: on a message class an enum's name costs a search.
ANSWER, ERROR = Reply.ANSWER, Reply.ERROR

LEAST_AFTER_ABSENCE_S = 1.0
LATENCY_WEIGHT = 0.05  # of a new answer in the moving mean

PROBLEMS = {
    "unknown_ticket": "No decision with ticket {ticket} is open: it was answered, timed out, or"
    " never asked. The choice is ignored.",
    "malformed_choice": "The choice for ticket {ticket} has no answer: set its index, action or"
    " error. It counts as an error.",
    "notices_dropped": "{count} notices were dropped, because the bot did not read those before"
    " them: read faster, or set Hello.notices to false.",
}


class Desk:
    """One player's place at the gateway."""

    def __init__(
        self,
        presence: Presence,
        session: Session,
        outbox: Outbox,
        grace_s: float,
        max_unread: int,
    ) -> None:
        """`max_unread` bytes of notices wait for a bot that does not read them, at most."""
        self.presence = presence
        self.session: Session | None = session
        self._outbox = outbox
        self._grace_s = grace_s
        self._questions: dict[int, Question] = {}  # by ticket, all
        self._waiting: deque[Question] = deque()  # those not sent
        self._notices = Notices(max_unread)
        self._clock = inf  # no question times out before
        self._away_since = 0.0
        self._latency_ms: float | None = None

    @property
    def in_flight(self) -> int:
        """Questions sent and not answered."""
        return len(self._questions) - len(self._waiting)

    @property
    def open(self) -> int:
        """Questions not answered, sent or not."""
        return len(self._questions)

    def described(self) -> Presence:
        """The presence as it is at this moment."""
        return replace(self.presence, in_flight=self.in_flight, latency_ms=self._latency_ms)

    # From the worker

    def take_in(self, delivery: Delivery) -> None:
        """Queues what a worker sent. A question that is open already stays as it is."""
        self._notices.take_in(delivery, self.presence.notices)
        allowed = delivery.time_ms / 1000
        for ticket, decision in zip(delivery.tickets, delivery.decisions, strict=True):
            if known := self._questions.get(ticket):
                # The worker that asked first may be dead, and another carry on for it.
                self._outbox.no_longer(known.reply_to)
                known.reply_to = delivery.reply_to
                continue
            question = Question(ticket, decision, allowed, delivery.reply_to, allowed)
            self._questions[ticket] = question
            self._waiting.append(question)
        self._wake_up()

    def _wake_up(self) -> None:
        if self.session is not None:
            self.session.wake.set()

    # To the bot

    def next_message(self) -> bytes | None:
        """The next encoded ArenaMessage with notices and as many questions as may be in flight.

        The clocks of its questions start. None when there is nothing to send.
        """
        free = min(self.presence.max_in_flight - self.in_flight, MOST_IN_A_MESSAGE)
        count = min(free, len(self._waiting))
        if not count and not self._notices:
            return None
        self._tell_of_dropped()
        message = RelayMessage()
        self._notices.fill(message.batch)
        message.batch.decisions.extend(self._started(count))
        metrics.DECISIONS.inc(count)
        return message.SerializeToString()

    def _tell_of_dropped(self) -> None:
        """Says so as soon as the bot reads again."""
        dropped = self._notices.take_dropped()
        if dropped and self.session is not None:
            metrics.NOTICES_DROPPED.inc(dropped)
            sentence = PROBLEMS["notices_dropped"].format(count=dropped)
            problem = Problem(code="notices_dropped", message=sentence)
            self.session.say(ArenaMessage(problem=problem))

    def _started(self, count: int) -> Iterable[bytes]:
        now = time.monotonic()
        for _ in range(count):
            question = self._waiting.popleft()
            question.sent = now
            self._clock = min(self._clock, now + question.left)
            yield question.encoded()

    # From the bot

    def answer(self, choices: Iterable[Choice]) -> None:
        """Takes the bot's answers; those that answer nothing become Problems."""
        now = time.monotonic()
        bundles = defaultdict[str, Bundle](Bundle)
        for choice in choices:
            question = self._questions.get(choice.ticket)
            if question is None or not question.sent:
                self._refuse(choice.ticket, "unknown_ticket")
                continue
            del self._questions[question.ticket]
            latency_us = question.latency_us(now)
            self._note_latency(latency_us / 1000)
            self._reply(bundles[question.reply_to], question.ticket, choice, latency_us)
        self._send(bundles)
        if self._waiting:
            self._wake_up()

    def _send(self, bundles: Mapping[str, Bundle]) -> None:
        for reply_to, bundle in bundles.items():
            self._outbox.add(reply_to, bundle)

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

    def _note_latency(self, latency_ms: float) -> None:
        mean = self._latency_ms
        self._latency_ms = (
            latency_ms if mean is None else mean + LATENCY_WEIGHT * (latency_ms - mean)
        )

    def _refuse(self, ticket: int, code: str) -> str:
        metrics.PROBLEMS.labels(code).inc()
        message = PROBLEMS[code].format(ticket=ticket)
        if self.session is not None:
            problem = Problem(code=code, message=message, ticket=ticket)
            self.session.say(ArenaMessage(problem=problem))
        return message

    def broke_contract(self, sentence: str) -> None:
        """The bot's stream ends because of what it sent: every question it held is an error."""
        self._end(Reply.ERROR, lambda question: bool(question.sent), error=sentence)

    # Time

    def sweep(self, now: float) -> bool:
        """Ends questions whose time is up; False when the player is gone for good."""
        if self.session is None:
            return now - self._away_since < self._grace_s
        if now >= self._clock:
            self._end(Reply.TIMEOUT, lambda question: bool(question.sent) and question.ends <= now)
            ends = [question.ends for question in self._questions.values() if question.sent]
            self._clock = min(ends, default=inf)
            self._wake_up()
        return True

    def forgive(self, seconds: float) -> None:
        """Gives every clock back the time in which this process did not read answers."""
        for question in self._questions.values():
            if question.sent:
                question.left += seconds
        self._clock += seconds

    def leave(self, now: float) -> None:
        """The stream is lost: clocks stop, and the grace time begins."""
        self.session = None
        self._away_since = now
        self.presence = replace(self.presence, away_since=time.time())
        for question in self._questions.values():
            if question.sent:
                question.left = max(0.0, question.ends - now)

    def come_back(self, presence: Presence, session: Session, now: float) -> None:
        """The player is here again, with a new stream: open questions are asked once more."""
        if self.session is not None:
            self.leave(now)
        self.presence, self.session = presence, session
        for question in self._questions.values():
            if question.sent:
                self._extend(question, now - self._away_since)
        self._end(Reply.DISCONNECT, lambda question: question.gained > self._grace_s)
        for question in self._questions.values():
            question.sent = 0.0
        self._waiting = deque(self._questions.values())
        self._clock = inf

    def _extend(self, question: Question, absence: float) -> None:
        least = min(LEAST_AFTER_ABSENCE_S, question.allowed)
        question.gained += absence + max(0.0, least - question.left)
        question.left = max(question.left, least)

    # The end of a desk

    def disconnect(self) -> None:
        """The player stayed away: every question becomes a fault."""
        self._end(Reply.DISCONNECT)

    def bounce(self) -> None:
        """The questions are for another gateway now."""
        self._end(Reply.BOUNCED)

    def bounce_waiting(self) -> None:
        """Gives back the questions that were not sent."""
        self._end(Reply.BOUNCED, lambda question: not question.sent)

    def _end(
        self,
        outcome: Reply.Outcome,
        which: Callable[[Question], bool] = lambda _: True,
        error: str = "",
    ) -> None:
        now = time.monotonic()
        bundles = defaultdict[str, Bundle](Bundle)
        for ticket, question in list(self._questions.items()):
            if which(question):
                del self._questions[ticket]
                latency_us = question.latency_us(now)
                reply = Reply(ticket=ticket, outcome=outcome, error=error, latency_us=latency_us)
                bundles[question.reply_to].others.append(reply)
        self._send(bundles)
        self._waiting = deque(q for q in self._waiting if q.ticket in self._questions)
