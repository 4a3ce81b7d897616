"""The process pool of a hosted bot, with fake processes."""

import time
from math import inf

import pytest

from arena.hosting.hosted.pool import EXIT_S, FORGOTTEN, PooledProcess, ProcessPool
from arena.hosting.hosted.report import IDLE, NO_ROOM, STAYED
from arena.hosting.hosted.room import Room
from tests.unit.hosting.fakes import FakeStarter

ONE, TWO = b"onexonexonexonex", b"twotwotwotwotwot"
IDLE_S = 60.0


def pool_of(most: int = 9) -> tuple[ProcessPool, FakeStarter]:
    """A pool alone on a host with room for `most` processes."""
    starter = FakeStarter()
    room = Room(most, later=lambda seconds, what: None)
    return ProcessPool(starter, room, IDLE_S), starter


def acquired(pool: ProcessPool, purpose: bytes | int) -> PooledProcess:
    pooled = pool.acquire(purpose, pytest.fail)
    assert pooled is not None
    return pooled


def test_match_gets_the_spare_process_and_another_one_is_started() -> None:
    pool, starter = pool_of()
    pool.warm_up()
    pool.warm_up()
    assert len(starter.started) == 1

    pooled = acquired(pool, ONE)

    assert pooled.process.number == starter.started[0].number
    assert pool.playing(ONE) is pooled
    assert pool.processes == 2
    assert [idle.order for idle in pool.idle()] == [0, inf]


def test_without_room_a_match_waits_until_a_process_is_gone() -> None:
    pool, starter = pool_of(most=1)
    first, tries = acquired(pool, ONE), list[int]()
    first.process.clock.asked([1], 2.0, 0.0)  # busy, so it is not evicted

    assert pool.acquire(TWO, lambda: tries.append(1)) is None
    pool.remove(first)
    pool.freed()

    assert tries == [1]
    assert len(starter.started) == 1


def test_process_that_has_answered_is_evicted_for_an_earlier_match() -> None:
    pool, starter = pool_of(most=1)
    earlier = acquired(pool, ONE)
    pool.kill(earlier, "It was killed.")
    pool.remove(earlier)
    later = acquired(pool, TWO)
    later.process.clock.asked([1], 2.0, 0.0)
    assert pool.acquire(ONE, lambda: None) is None

    later.process.clock.answered([1], 0.1, 0.1)
    pool.answered(later)

    assert starter.started[1].killed_because == NO_ROOM


def test_finished_process_is_released_and_exits_by_itself() -> None:
    pool, starter = pool_of()
    pooled = acquired(pool, ONE)
    assert not pool.is_released(pooled)

    pool.finish(pooled)

    assert (starter.started[0].finished, starter.started[0].killed_because) == (True, "")
    assert pool.is_released(pooled)
    assert pool.playing(ONE) is None
    assert pool.get(1) is pooled
    pool.remove(pooled)
    assert pool.get(1) is None


def test_a_process_that_stays_after_its_match_makes_room_for_others() -> None:
    pool, _ = pool_of(most=1)
    pooled = acquired(pool, ONE)
    pool.finish(pooled)
    pooled.process.finished_at = time.monotonic()
    assert pool.acquire(TWO, lambda: None) is None
    assert not pooled.process.killed_because, "it has a moment"

    pooled.process.finished_at -= 2 * EXIT_S
    assert pool.acquire(TWO, lambda: None) is None
    assert pooled.process.killed_because == STAYED


def test_killed_process_no_longer_plays_its_match() -> None:
    pool, starter = pool_of()
    pool.kill(acquired(pool, 7), "It is too slow.")

    assert starter.started[0].killed_because == "It is too slow."
    assert pool.playing(7) is None


def test_idle_bot_loses_its_spare_process_and_then_its_sandbox() -> None:
    pool, starter = pool_of()
    pool.warm_up()
    pool.rest(pool.last_used + IDLE_S - 1)
    assert starter.started[0].killed_because == ""

    pool.rest(pool.last_used + IDLE_S)
    assert starter.started[0].killed_because == IDLE
    assert starter.running

    pool.remove(next(iter(pool)))
    pool.rest(pool.last_used + IDLE_S)
    assert not starter.running


def test_idle_bot_keeps_the_sandbox_while_it_has_a_match() -> None:
    pool, starter = pool_of()
    acquired(pool, ONE)

    pool.rest(pool.last_used + IDLE_S)
    assert (starter.running, starter.started[0].finished) == (True, False)

    pool.rest(pool.last_used + FORGOTTEN * IDLE_S + 1)
    assert starter.started[0].finished


def test_closed_pool_returns_its_processes_and_leaves_the_room() -> None:
    pool, starter = pool_of()
    pooled = acquired(pool, ONE)

    assert pool.close()[0] is pooled
    assert pool.closed
    assert not pool.processes
    assert not starter.running
