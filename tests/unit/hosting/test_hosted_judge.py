"""Which answers of a hosted bot count, and which limits its processes exceed."""

from pathlib import Path

import pytest

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.judge import END_CPU_S, MOST_CHOICES, MOST_USELESS, TRIES, Judge
from arena.hosting.hosted.pool import PooledProcess
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.split import tickets_of
from arena.protocol.v1 import play_pb2 as pb
from tests.attacks.playing import decision
from tests.unit.hosting.fakes import FakeProcess, pooled

MATCH = "onexonexonexonex"
PROGRAM = Program(Path("/srv/bot"))
ALLOWANCE = Allowance(start_cpu_s=10.0, waiting_s=4.0)


def judge(program: Program = PROGRAM) -> Judge:
    return Judge(program, ALLOWANCE, 0.0)


def asked(*tickets: int) -> tuple[PooledProcess, FakeProcess]:
    """A process that holds these decisions of 0.3 s each."""
    process = FakeProcess()
    one = pooled(process, MATCH.encode())
    for ticket in tickets:
        batch = decision(ticket, MATCH)
        one.send(batch, list(tickets_of(batch)), 100.0)
    return one, process


def test_each_answer_is_charged_its_cpu_time() -> None:
    one, _ = asked(1, 2)
    answers = pb.Choices(tickets=[1], indices=[3], choices=[pb.Choice(ticket=2, action="draw")])

    taken = judge().accept(one, answers, 0.25, 101.0)

    assert (list(taken.tickets), list(taken.indices), list(taken.cpu_us)) == ([1], [3], [250_000])
    assert (taken.choices[0].action, taken.choices[0].cpu_us) == ("draw", 250_000)


def test_answers_to_unknown_and_repeated_tickets_do_not_count() -> None:
    one, _ = asked(1)
    answers = pb.Choices(tickets=[1, 1, 7], indices=[0, 1, 2])

    assert list(judge().accept(one, answers, 0.1, 101.0).indices) == [0]
    assert not judge().accept(one, answers, 0.1, 101.0).tickets


def test_a_flood_of_useless_messages_is_an_error() -> None:
    one, _ = asked(1)
    judging = judge()
    for _ in range(MOST_USELESS):
        judging.accept(one, pb.Choices(), 0.1, 101.0)
    with pytest.raises(InvalidRequest, match="more than 100 messages in a row"):
        judging.accept(one, pb.Choices(tickets=[7], indices=[0]), 0.1, 101.0)


def test_an_answer_is_copied_without_what_it_carries_besides() -> None:
    one, _ = asked(1, 2, 3, 4)
    long = pb.Choice(ticket=1, action="x" * 1000)
    long.MergeFromString(bytes([0xFA, 0x3F, 3]) + b"abc")  # an unknown field
    others = [pb.Choice(ticket=2, error="y" * 9000), pb.Choice(ticket=3)]
    claimed = pb.Choice(ticket=4, timeout="z", forfeits=True)

    taken = judge().accept(one, pb.Choices(choices=[long, *others, claimed]), 0.1, 101.0).choices

    assert [each.ticket for each in taken] == [1, 2, 3, 4]
    assert taken[0] == pb.Choice(ticket=1, action="x" * 100, cpu_us=taken[0].cpu_us)
    assert taken[1].error == "y" * 500
    assert {taken[2].error, taken[3].error} == {"It sent a choice without an answer."}


def test_paths_of_the_host_are_removed_from_errors() -> None:
    one, _ = asked(1)
    answers = pb.Choices(choices=[pb.Choice(ticket=1, error="in /srv/bot/bot.py")])
    assert judge().accept(one, answers, 0.1, 101.0).choices[0].error == "in bot.py"


@pytest.mark.parametrize(
    ("answers", "complaint"),
    [
        (pb.Choices(tickets=[1, 2], indices=[0]), "unequal numbers of tickets and indices"),
        (
            pb.Choices(choices=[pb.Choice()] * (MOST_CHOICES + 1)),
            "more than 4,096 choices in a message",
        ),
    ],
)
def test_malformed_message_is_an_error(answers: pb.Choices, complaint: str) -> None:
    one, process = asked(1)
    with pytest.raises(InvalidRequest, match=complaint):
        judge().accept(one, answers, 0.1, 101.0)
    assert process.clock.open == [1]


def test_output_is_attributed_to_the_decisions_that_are_answered() -> None:
    one, process = asked(1)
    process.output.text = "thinking\n"
    judge().accept(one, pb.Choices(tickets=[1], indices=[0]), 0.1, 101.0)

    [part] = one.report("", 0.1, 0).parts
    assert (part.when, part.text, part.match) == ("decision", "thinking\n", MATCH)


def test_decision_over_its_cpu_time_is_a_timeout() -> None:
    one, process = asked(1)
    assert not judge().overrun(one, 0.2, 101.0).choices

    [late] = judge().overrun(one, 0.4, 101.0).choices

    assert (late.ticket, late.cpu_us) == (1, 400_000)
    assert late.timeout == "It used 0.400 s of CPU time. The limit is 0.3 s."
    assert judge().reason_to_end(one.process, 0.5) == ""
    assert judge().reason_to_end(one.process, 1.8).startswith("It kept computing long after")
    assert process.clock.open == []


def test_process_that_does_not_exit_after_its_match_is_ended() -> None:
    one, process = asked()
    process.finished_cpu_s = 1.0
    assert judge().reason_to_end(one.process, 1.0 + END_CPU_S) == ""
    assert judge().reason_to_end(one.process, 1.1 + END_CPU_S).startswith("It did not exit")

    process.waited_s = 4.1
    assert judge().reason_to_end(one.process, 1.0).startswith("It did not exit")


def test_process_that_is_not_ready_in_time_is_ended_with_advice() -> None:
    one, process = asked()
    assert judge().start_failure(one.process, 10.0) == ""
    assert judge().start_failure(one.process, 10.1) == (
        "It was not ready after 10.1 s of CPU time. The limit is 10 s."
        " Do less at import and in prepare()."
    )
    process.waited_s = 4.1
    lines = judge(Program(Path("/srv/bot"), command=("./bot",)))
    assert lines.start_failure(one.process, 1.0).endswith("as soon as the program is ready.")


def test_match_whose_bot_waits_too_long_is_forfeited() -> None:
    one, process = asked(1)
    found = judge()
    assert found.charge_waiting(one, 3.0) == ""
    assert found.charge_waiting(one, 1.1).startswith("It kept its match waiting for 4 s")
    assert process.waited_s == 0.0

    rest, refused = found.refuse(decision(2, MATCH))
    assert not rest.packed
    assert (refused.choices[0].ticket, refused.choices[0].forfeits) == (2, True)

    found.waiting.over(MATCH)
    assert not found.refuse(decision(3, MATCH))[1].choices


def test_waiting_during_the_start_counts_towards_the_start() -> None:
    one, process = asked()
    process.ready = False
    judge().charge_waiting(one, 3.0)
    assert process.waited_s == 3.0


def test_decisions_of_a_process_that_failed_are_errors() -> None:
    one, process = asked(1, 2)
    one.queued.append(decision(3, MATCH))

    lost, again = judge().settle(one, "The process ended.", 101.0, blameless=False)

    assert [(one.ticket, one.error) for one in lost.choices] == [
        (1, "The process ended."),
        (2, "The process ended."),
    ]
    assert [[ticket for ticket, _ in tickets_of(each)] for each in again] == [[3]]
    assert process.clock.open == []


def test_decisions_of_a_blameless_process_are_asked_again_a_few_times() -> None:
    found = judge()
    for tries in range(1, TRIES + 1):
        one, _ = asked(1)
        lost, again = found.settle(one, "It was killed.", 101.0, blameless=True)
        assert (len(again), len(lost.choices)) == ((1, 0) if tries < TRIES else (0, 1))


def test_answer_resets_the_number_of_tries() -> None:
    found = judge()
    for _ in range(TRIES):
        one, _ = asked(1)
        assert found.settle(one, "It was killed.", 101.0, blameless=True).again
        one, _ = asked(1)
        found.accept(one, pb.Choices(tickets=[1], indices=[0]), 0.1, 101.0)
