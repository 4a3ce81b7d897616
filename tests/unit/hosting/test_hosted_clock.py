"""The move clock of a hosted bot's process: charges and timeouts."""

from arena.hosting.hosted.clock import ProcessClock


def clock(used: float = 5.0) -> ProcessClock:
    """Of a process that took so many seconds of CPU time to come up."""
    process = ProcessClock()
    process.began(used)
    return process


def test_an_answer_is_charged_the_cpu_time_since_the_process_was_ready() -> None:
    process = clock(used=5.0)
    process.asked([1], 2.0, 100.0)

    assert process.answered([1], 5.25, 105.0) == {1: 0.25}
    assert process.open == []


def test_thinking_after_an_answer_is_charged_to_the_next() -> None:
    process = clock(used=0.0)
    process.asked([1], 2.0, 100.0)
    process.answered([1], 0.5, 105.0)
    process.asked([2], 2.0, 101.0)

    assert process.answered([2], 1.25, 105.0) == {2: 0.75}


def test_busy_machine_makes_no_bot_late() -> None:
    process = clock()
    process.asked([1], 2.0, 100.0)

    assert process.overrun(5.9, 160.0) == []  # a minute by the wall clock, 0.9 s of CPU time
    assert process.answered([1], 6.5, 105.0) == {1: 1.5}


def test_more_cpu_time_than_it_has_is_a_timeout() -> None:
    process = clock()
    process.asked([1], 2.0, 100.0)

    [over] = process.overrun(7.5, 103.0)

    assert (over.ticket, over.used_s) == (1, 2.5)
    assert over.reason == "It used 2.500 s of CPU time. The limit is 2 s."
    assert process.open == []
    assert process.answered([1], 7.6, 105.0) == {}  # too late


def test_after_a_timeout_the_next_decision_has_all_its_time() -> None:
    process = clock()
    process.asked([1], 2.0, 100.0)
    process.overrun(7.5, 103.0)
    process.asked([2], 2.0, 103.0)

    assert process.overrun(9.0, 105.0) == []
    assert process.answered([2], 9.25, 105.0) == {2: 1.75}


def test_process_that_computes_long_after_a_timeout_is_stuck() -> None:
    process = clock()
    process.asked([1], 2.0, 100.0)
    process.overrun(7.5, 103.0)

    assert not process.is_stuck(10.0)
    assert process.is_stuck(10.6)  # as much again, and a second

    process.answered([], 10.6, 105.0)
    process.answered([7], 10.6, 105.0)
    assert process.is_stuck(20.0)  # that answered nothing
    process.answered([1], 10.6, 105.0)  # it came back
    assert not process.is_stuck(20.0)


def test_messages_that_answer_nothing_win_no_time() -> None:
    process = clock()
    process.asked([1], 2.0, 100.0)
    for used in (6.0, 6.9):
        assert process.answered([], used, 101.0) == {}
        assert process.answered([2], used, 101.0) == {}

    (late,) = process.overrun(7.1, 102.0)
    assert (late.ticket, round(late.used_s, 3)) == (1, 2.1)
    assert process.answered([1], 7.1, 102.0) == {}
    assert not process.expects([1])


def test_decisions_during_the_start_are_charged_once_it_is_ready() -> None:
    process = ProcessClock()
    process.asked([1], 2.0, 100.0)
    process.began(8.0)

    assert process.answered([1], 9.0, 141.0) == {1: 1.0}


def test_wall_time_runs_while_it_holds_a_decision() -> None:
    process = clock()
    process.asked([1], 2.0, 100.0)
    process.asked([2], 2.0, 101.0)
    process.answered([1], 5.5, 103.0)
    assert process.owed_s(104.0) == 4.0

    process.answered([2], 5.5, 105.0)
    assert process.owed_s(120.0) == 5.0

    process.asked([3], 2.0, 130.0)
    process.overrun(7.6, 131.0)
    process.asked([4], 2.0, 140.0)
    process.dropped(142.0)
    assert process.owed_s(200.0) == 8.0


def test_the_next_look_is_no_later_than_the_cpu_time_can_run_out() -> None:
    process = clock()
    assert process.next_look(5.0, 100.0) == float("inf")
    process.asked([1], 2.0, 100.0)

    assert process.next_look(5.0, 100.0) == 102.0
    assert process.next_look(6.5, 110.0) == 110.5
    process.overrun(7.5, 111.0)
    assert process.next_look(7.5, 111.0) == 114.0


def test_answers_to_what_it_does_not_hold_count_nothing() -> None:
    process = clock()
    process.asked([1], 2.0, 100.0)

    assert process.answered([7, 1, 1], 5.5, 105.0) == {1: 0.5}


def test_when_it_is_gone_what_it_held_is_named() -> None:
    process = clock()
    process.asked([1, 2], 2.0, 100.0)

    assert process.dropped(103.0) == [1, 2]
    assert process.open == []
