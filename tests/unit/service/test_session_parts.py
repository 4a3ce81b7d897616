"""The parts of a player's session: its answers, clocks, absences and load."""

from collections.abc import Sequence
from math import inf

import pytest

from arena.protocol.internal.relay_pb2 import Reply
from arena.protocol.v1.play_pb2 import ArenaMessage, Choice, Choices
from arena.service.gateway.limits import MOST_EXPLAINED
from arena.service.gateway.sessions.allowance import AbsenceAllowance
from arena.service.gateway.sessions.answers import Answers
from arena.service.gateway.sessions.batches import DecisionBatch, Encoded
from arena.service.gateway.sessions.load import LATENCY_WEIGHT, SessionLoad
from arena.service.gateway.sessions.open_decisions import OpenDecisions
from arena.service.gateway.sessions.outputs import Outputs
from arena.service.gateway.sessions.stream import Login, Stream


def batch(*tickets: int, allowed: float = 2.0, reply_to: str = "list") -> DecisionBatch:
    return DecisionBatch([*tickets], Encoded((b"",) * len(tickets)), allowed, reply_to, allowed)


def holding(*batches: DecisionBatch, now: float = 0.0) -> OpenDecisions:
    """Open decisions that were all sent at this moment."""
    found = OpenDecisions()
    for each in batches:
        found.add(each)
    found.send(found.waiting, now)
    return found


def taken(choices: Choices, open_: OpenDecisions) -> Answers:
    def latencies(each: DecisionBatch, count: int, cpu_us: Sequence[int]) -> Sequence[int]:
        return [7] * count

    return Answers(choices, open_, latencies, Reply.ERROR)


def test_answers_are_grouped_by_reply_list() -> None:
    open_ = holding(batch(1, 2, reply_to="a"), batch(3, reply_to="b"))

    found = taken(Choices(tickets=[1, 3], indices=[4, 5]), open_)

    assert {name: (one.tickets, one.indices) for name, one in found.bundles.items()} == {
        "a": ([1], [4]),
        "b": ([3], [5]),
    }
    assert [list(latencies) for _, latencies in found.latencies_us] == [[7], [7]]
    assert open_.held == 1


@pytest.mark.parametrize(
    ("choice", "outcome", "text"),
    [
        (Choice(ticket=1, action="draw"), Reply.ANSWER, "draw"),
        (Choice(ticket=1, error="no"), Reply.ERROR, "no"),
        (Choice(ticket=1, error="a\0b"), Reply.ERROR, "a\N{REPLACEMENT CHARACTER}b"),
        (Choice(ticket=1, timeout="late"), Reply.TIMEOUT, "late"),
    ],
)
def test_other_choices_become_replies(choice: Choice, outcome: Reply.Outcome, text: str) -> None:
    found = taken(Choices(choices=[choice]), holding(batch(1)))
    [reply] = found.bundles["list"].others
    assert (reply.outcome, reply.action or reply.error) == (outcome, text)
    assert (found.unknown, found.malformed) == ([], [])


def test_repeated_and_unsent_decisions_are_unknown() -> None:
    open_ = holding(batch(1))
    open_.add(batch(2))
    found = taken(Choices(tickets=[1, 1, 2], indices=[0, 0, 0]), open_)
    assert found.unknown == [1, 2]


def test_problems_are_sent_for_the_first_unknown_tickets() -> None:
    outputs = Outputs()
    stream = Stream(Login(1, "token"), outputs)
    unknown = range(100, 103 + MOST_EXPLAINED)
    choices = Choices(choices=[Choice(ticket=1), *(Choice(ticket=one) for one in unknown)])

    taken(choices, holding(batch(1))).report_problems(stream, outputs, explained=True)

    assert outputs.problems == {"malformed_choice": 1, "unknown_ticket": MOST_EXPLAINED + 3}
    sent = [ArenaMessage.FromString(one).problem for one in iter(stream.next_queued, None)]
    assert [sent[0].code, sent[-1].message[:14]] == ["malformed_choice", "3 more choices"]
    assert len(sent) == MOST_EXPLAINED + 2


def test_unknown_tickets_are_only_counted_unless_explained() -> None:
    outputs = Outputs()
    stream = Stream(Login(1, "token"), outputs)
    found = taken(Choices(tickets=[5], indices=[0]), holding(batch(1)))
    found.report_problems(stream, outputs, explained=False)
    assert outputs.problems == {"unknown_ticket": 1}
    assert stream.next_queued() is None


def test_next_clock_is_that_of_the_first_batch() -> None:
    open_ = OpenDecisions()
    assert not open_.overdue(100.0)
    open_.add(batch(1, allowed=3.0))
    open_.add(batch(2, allowed=2.0))
    open_.send(2, 10.0)

    assert open_.next_end == 12.0
    assert not open_.overdue(11.9)
    assert open_.overdue(12.0)

    list(open_.answered([2]))
    assert not open_.overdue(12.5)
    assert open_.next_end == 13.0


def test_clocks_get_the_time_of_a_stall_back() -> None:
    open_ = holding(batch(1), now=10.0)
    open_.forgive(9.0, 11.0)
    assert open_.next_end == 13.0


def test_clocks_stop_while_the_bot_is_away() -> None:
    open_ = holding(batch(1), now=10.0)
    open_.stop(11.5)
    open_.send_again()
    assert open_.next_end == inf
    assert open_.batches()[0].left == 0.5


def test_clock_of_an_unread_decision_runs() -> None:
    open_ = OpenDecisions()
    open_.add(batch(1))
    assert not open_.unread(1, 10.0, 10.0)
    assert not open_.unread(1, 12.0, 11.9)
    assert open_.unread(1, 12.0, 12.0)


def test_absences_share_the_allowance_only_while_matches_wait() -> None:
    allowance = AbsenceAllowance(10.0)
    allowance.start(100.0)
    allowance.end([], 104.0, awaited=True)
    assert allowance.left == 6.0

    allowance.start(200.0)
    assert allowance.lasts(205.9, awaited=True)
    assert not allowance.lasts(206.0, awaited=True)
    assert allowance.lasts(209.9, awaited=False)
    allowance.hold(200.0, 202.0)
    assert allowance.lasts(207.9, awaited=True)


def test_absence_beyond_the_allowance_is_taken_from_the_clocks() -> None:
    allowance, one = AbsenceAllowance(3.0), batch(1, allowed=9.0)
    allowance.start(100.0)
    allowance.end([one], 105.0, awaited=True)
    assert (allowance.left, one.left) == (0.0, 7.0)


def test_allowance_pays_for_a_second_on_each_clock() -> None:
    allowance, one = AbsenceAllowance(3.0), batch(1)
    one.left = 0.25
    allowance.start(100.0)
    allowance.end([one], 101.0, awaited=True)
    assert (allowance.left, one.left) == (1.25, 1.0)


def test_mean_latency_moves_with_each_answer() -> None:
    load = SessionLoad()
    assert load.latency_ms is None
    load.answered([4000])
    assert load.latency_ms == 4.0
    load.answered([2000, 2000])
    assert load.latency_ms == pytest.approx(2 + 2 * (1 - LATENCY_WEIGHT) ** 2)


def test_queue_is_the_mean_of_open_decisions() -> None:
    load = SessionLoad()
    load.changes(0.0, 2, 4)
    load.changes(100.0, 2, 4)
    assert load.changed == 100.0
    assert load.queue() == pytest.approx(6.0, rel=0.1)
