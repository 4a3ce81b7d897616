"""The answers in one message of a bot, matched to the decisions that it holds."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeAlias

from arena.base.text import plain
from arena.protocol.codec import LONGEST_ACTION, LONGEST_ERROR
from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.v1.play_pb2 import ArenaMessage, Choice, Choices, Problem
from arena.service.gateway.limits import MOST_EXPLAINED
from arena.service.gateway.sessions.batches import DecisionBatch
from arena.service.gateway.sessions.open_decisions import OpenDecisions
from arena.service.gateway.sessions.outputs import PROBLEMS, Bundle, Outputs
from arena.service.gateway.sessions.stream import Stream

# Looked up once: on a message class an enum's name costs a search.
ANSWER, ERROR, TIMEOUT = Reply.ANSWER, Reply.ERROR, Reply.TIMEOUT

# Returns the latencies (microseconds) of a number of answers to a batch, with CPU times of a host.
Latencies: TypeAlias = Callable[[DecisionBatch, int, Sequence[int]], Sequence[int]]


class Answers:
    """Takes the answered decisions out of the open ones. `bundles` has the replies by reply list,
    and `latencies_us` the latencies by batch."""

    def __init__(
        self,
        choices: Choices,
        open_: OpenDecisions,
        latencies: Latencies,
        malformed_as: Reply.Outcome,
    ) -> None:
        """A choice without an answer gets the outcome `malformed_as`."""
        self._open, self._latencies, self._malformed_as = open_, latencies, malformed_as
        self.bundles = defaultdict[str, Bundle](Bundle)
        self.latencies_us: list[tuple[DecisionBatch, Sequence[int]]] = []
        self.unknown: list[int] = []  # tickets of choices that answer no decision
        self.malformed: list[int] = []  # tickets of choices without an answer
        if choices.tickets:
            self._take_indices(choices)
        for choice in choices.choices:
            self._take(choice)

    def _take_indices(self, choices: Choices) -> None:
        """Take answers by index, many at once."""
        tickets, indices, cpu_us = choices.tickets[:], choices.indices[:], choices.cpu_us[:]
        for batch, part, twice in self._open.answered(tickets):
            taken, chosen, spent = tickets[part], indices[part], cpu_us[part]
            for place in reversed(twice):
                self.unknown.append(taken.pop(place))
                del chosen[place], spent[place : place + 1]
            if batch is None:
                self.unknown += taken
            elif taken:
                latencies_us = self._latencies(batch, len(taken), spent)
                self.latencies_us.append((batch, latencies_us))
                bundle = self.bundles[batch.reply_to]
                bundle.tickets += taken
                bundle.indices += chosen
                bundle.latencies_us += latencies_us

    def _take(self, choice: Choice) -> None:
        for batch, _, _ in self._open.answered([choice.ticket]):
            if batch is None:
                self.unknown.append(choice.ticket)
            else:
                latencies_us = self._latencies(batch, 1, [choice.cpu_us])
                self.latencies_us.append((batch, latencies_us))
                self._reply(self.bundles[batch.reply_to], choice, latencies_us[0])

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
            reply.outcome, reply.error = ERROR, plain(choice.error[:LONGEST_ERROR])
        elif kind == "timeout":
            reply.outcome, reply.error = TIMEOUT, plain(choice.timeout[:LONGEST_ERROR])
            reply.forfeits = choice.forfeits
        else:
            self.malformed.append(ticket)
            reply.outcome, reply.error = self._malformed_as, _sentence(ticket, "malformed_choice")
        bundle.others.append(reply)

    def report_problems(self, stream: Stream, outputs: Outputs, *, explained: bool) -> None:
        """Count the choices that do not count. Send the bot a Problem for each malformed one and,
        if `explained`, for the first unknown tickets and for the number of the others."""
        for ticket in self.malformed:
            _report(stream, outputs, ticket, "malformed_choice")
        most = MOST_EXPLAINED if explained else 0
        for ticket in self.unknown[:most]:
            _report(stream, outputs, ticket, "unknown_ticket")
        if (more := len(self.unknown) - most) > 0:
            outputs.problems["unknown_ticket"] += more
            if explained:
                sentence = PROBLEMS["unknown_tickets"].format(count=more)
                stream.send(ArenaMessage(problem=Problem(code="unknown_ticket", message=sentence)))


def _report(stream: Stream, outputs: Outputs, ticket: int, code: str) -> None:
    outputs.problems[code] += 1
    problem = Problem(code=code, message=_sentence(ticket, code), ticket=ticket)
    stream.send(ArenaMessage(problem=problem))


def _sentence(ticket: int, code: str) -> str:
    return PROBLEMS[code].format(ticket=ticket)
