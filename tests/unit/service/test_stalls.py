"""Times in which a gateway was slow or cut off."""

import itertools
from math import inf

import pytest

from arena.base.keepalive import CUT_OFF_S, GATEWAY_TTL_S, RECONNECT_S
from arena.service.gateway.sessions.stalls import (
    ECHO_S,
    MOST_SILENCE_S,
    STALL_S,
    TICK_S,
    Interval,
    StallDetector,
)


def test_late_tick_is_a_stall_in_which_nothing_ends() -> None:
    stalls = StallDetector()
    assert stalls.tick(10.0) == ([], 10.0, None)
    assert stalls.tick(10.0 + STALL_S) == ([], 10.0 + STALL_S, None)

    found = stalls.tick(20.0)

    assert found.judged is None
    [stall] = found.stalls
    assert stall == pytest.approx((10.0 + STALL_S + TICK_S, 20.0))


def test_only_what_was_read_is_judged() -> None:
    stalls = StallDetector()
    stalls.echoed(9.9)
    assert stalls.tick(10.0).judged == 10.0
    stalls.echoed(9.99)
    assert stalls.tick(10.02).judged == 9.9
    stalls.beaten(9.5)
    assert stalls.tick(10.04).judged == 9.5


def ticked(stalls: StallDetector, since: float, until: float) -> list[Interval]:
    """The stalls that are found meanwhile; nothing is judged before the first."""
    found, now = list[Interval](), since
    while now < until and not found:
        found += stalls.tick(now).stalls
        now += TICK_S
    return found


def test_overdue_echo_is_a_stall_once_it_is_back() -> None:
    stalls = StallDetector()
    stalls.echoed(0.0)
    stalls.echoed(0.0)
    assert ticked(stalls, 0.0, 2.0) == []
    assert stalls.tick(2.0).judged is None

    stalls.echoed(1.9)
    stalls.echoed(2.0)
    [stall] = ticked(stalls, 2.01, 3.0)
    assert stall == pytest.approx((2 * ECHO_S + TICK_S, 2.01))


def test_echo_that_never_comes_back_is_given_up() -> None:
    stalls = StallDetector()
    stalls.echoed(0.0)
    stalls.echoed(0.0)
    [stall] = ticked(stalls, 0.0, MOST_SILENCE_S + 1)
    assert stall.until > MOST_SILENCE_S
    assert stalls.tick(stall.until + TICK_S).judged == stall.until + TICK_S


def test_long_silence_of_redis_is_a_stall() -> None:
    stalls = StallDetector()
    assert stalls.beaten(10.0) is None
    assert stalls.beaten(10.0 + CUT_OFF_S) is None
    assert stalls.beaten(11.0 + 2 * CUT_OFF_S) == (10.0 + CUT_OFF_S, 11.0 + 2 * CUT_OFF_S)


def test_bots_that_could_not_connect_were_not_absent() -> None:
    stalls = StallDetector()
    stalls.beaten(10.0)
    stalls.tick(10.0)
    closed_at = 10.0 + GATEWAY_TTL_S + STALL_S / 2
    found, now = list[Interval](), 10.0
    while now < closed_at + RECONNECT_S + 1:
        now += STALL_S / 2
        if now > closed_at:
            stalls.beaten(now)
        if closed := stalls.tick(now).closed:
            found.append(closed)

    assert found[0].since == 10.0
    assert all(one.until == next_.since for one, next_ in itertools.pairwise(found))
    assert found[-1].until == pytest.approx(closed_at + RECONNECT_S, abs=STALL_S)


def test_two_signs_of_a_stall_count_once() -> None:
    stalls = StallDetector()
    assert stalls.new_part(Interval(1.0, 3.0)) == (1.0, 3.0)
    assert stalls.new_part(Interval(2.0, 4.0)) == (3.0, 4.0)
    assert stalls.new_part(Interval(-inf, 4.0)) is None


def test_a_pause_of_heartbeats_in_an_idle_gateway_is_not_a_silence() -> None:
    stalls = StallDetector()
    stalls.beaten(10.0)
    stalls.resumed(10.0 + 0.9 * CUT_OFF_S)
    assert stalls.beaten(10.0 + 1.5 * CUT_OFF_S) is None
    silent = stalls.beaten(10.0 + 3 * CUT_OFF_S)
    assert silent == (10.0 + 1.5 * CUT_OFF_S, 10.0 + 3 * CUT_OFF_S)
