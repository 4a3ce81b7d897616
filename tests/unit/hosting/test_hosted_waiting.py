"""The waiting budget of a match, and how a process is seen to wait."""

import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from arena.hosting.hosted.clock import WaitingBudget
from arena.hosting.hosted.cpu_clock import is_asleep
from arena.hosting.sandbox.syscalls import of_this_machine


def budget(seconds: float = 10.0) -> WaitingBudget:
    """One that samples every half second."""
    return WaitingBudget(seconds, 100.0, lambda low, high: (low + high) / 2)


def test_a_match_that_waited_for_longer_than_its_budget_has_spent_it() -> None:
    waiting = budget(1.0)

    assert not waiting.charge(["a", "b"], 0.6)
    assert not waiting.charge(["a"], 0.4)
    assert waiting.charge(["a", "b"], 0.1)

    assert waiting.spent_among(["a", "b", "c"]) == {"a"}


def test_a_match_that_is_over_is_forgotten() -> None:
    waiting = budget(1.0)
    waiting.charge(["a"], 2.0)
    waiting.over("a")

    assert not waiting.any_spent
    assert not waiting.charge(["a"], 0.9)


def test_state_of_matches_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.hosting.hosted.clock.MOST_MATCHES", 3)
    waiting = budget(1.0)
    waiting.charge("abcdef", 2.0)

    assert waiting.spent_among("abcdef") == set("def")


def test_a_host_that_comes_late_to_a_sample_charges_no_more_for_it() -> None:
    waiting = budget()
    assert waiting.next_sample == 100.5

    assert waiting.sampled(130.0) == 0.5
    assert waiting.next_sample == 130.5


def test_a_short_budget_is_sampled_more_often() -> None:
    assert budget(1.0).next_sample == 100.1


@pytest.mark.parametrize("sleep_s", [0.01, 0.3, 0.5, 2.0])
def test_samples_add_up_to_the_time_that_it_waited(sleep_s: float) -> None:
    """A bot that sleeps and computes in turns, for as long each, waits half of the time."""
    waiting = WaitingBudget(10.0, 0.0, random.Random(1).uniform)
    counted = 0.0
    while (now := waiting.next_sample) < 4000.0:
        seconds = waiting.sampled(now)
        counted += seconds if now % (2 * sleep_s) < sleep_s else 0.0

    assert counted == pytest.approx(2000.0, rel=0.1)


# How a process is seen to wait


@pytest.fixture
def started() -> Iterator[Callable[..., int]]:
    """Starts Python with a program, which prints a line when it is ready; the process's number."""
    with ExitStack() as stack:

        def start(program: str, core: int | None = None) -> int:
            pinned = "" if core is None else f"os.sched_setaffinity(0, [{core}])"
            source = f"import os, threading, time\n{pinned}\n{program}"
            process = stack.enter_context(Popen([sys.executable, "-c", source], stdout=PIPE))
            stack.callback(process.kill)
            assert process.stdout is not None
            assert process.stdout.readline()
            return process.pid

        yield start


def asleep_after_a_while(process: int) -> bool:
    """Whether it is asleep at one of many looks: what it does first may take it a moment."""
    return any(is_asleep(process) for _ in range(200_000))


def test_a_process_that_sleeps_is_asleep(started: Callable[..., int]) -> None:
    assert asleep_after_a_while(started("print(flush=True); time.sleep(60)"))


def test_a_process_that_waits_for_a_core_is_not_asleep(started: Callable[..., int]) -> None:
    """Two that compute on one core: at each moment one of them has to wait."""
    core = min(os.sched_getaffinity(0))
    both = [started("print(flush=True)\nwhile True: pass", core) for _ in range(2)]

    assert not any(is_asleep(process) for process in both for _ in range(100))


def test_a_process_is_not_asleep_while_one_of_its_threads_computes(
    started: Callable[..., int],
) -> None:
    spins = "threading.Thread(target=lambda: all(True for _ in iter(int, 1))).start()"
    process = started(f"{spins}; print(flush=True); time.sleep(60)")

    assert not any(is_asleep(process) for _ in range(100))


def test_a_process_whose_first_thread_has_ended_can_be_asleep(started: Callable[..., int]) -> None:
    leave = of_this_machine().numbers["exit"]
    leaves = f"import ctypes; print(flush=True); ctypes.CDLL(None).syscall({leave}, 0)"
    sleeps = "threading.Thread(target=lambda: time.sleep(60)).start()"

    assert asleep_after_a_while(started(f"{sleeps}; {leaves}"))


def test_a_process_that_has_ended_is_not_asleep() -> None:
    with Popen([sys.executable, "-c", ""]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it is not reaped
        assert not is_asleep(process.pid)
    assert not Path(f"/proc/{process.pid}").exists()
    with pytest.raises(FileNotFoundError):
        is_asleep(process.pid)
