"""Token buckets, bans, and addresses as limits count them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.base.addresses import network, networks, plain
from arena.service.gateway.throttle import Peer, Throttle, TokenBucket, parse_peer

moments = st.lists(st.floats(0, 1000), max_size=50).map(sorted)
amounts = st.floats(0.5, 100)


@given(amounts, amounts, moments, st.floats(0.1, 20))
def test_no_more_gets_through_than_a_burst_and_the_rate(
    capacity: float, per_s: float, times: list[float], n: float
) -> None:
    bucket = TokenBucket(capacity, per_s, 0.0)
    taken = [now for now in times if bucket.take(now, n)]
    for first, start in enumerate(taken):
        for last, end in enumerate(taken[first:], first):
            assert n * (last - first + 1) <= capacity + per_s * (end - start) + 1e-6


@given(amounts, amounts, moments, st.floats(0.1, 20))
def test_caller_is_served_after_the_wait_and_not_before(
    capacity: float, per_s: float, times: list[float], n: float
) -> None:
    bucket = TokenBucket(capacity, per_s, 0.0)
    for now in times:
        bucket.charge(now, n)
        wait = bucket.wait_s(now, n)
        assert 0 <= wait <= (min(n, capacity) + capacity) / per_s + 1e-6
        if wait > 1e-3:
            assert not bucket.take(now + wait * 0.99, n)
        if n <= capacity:
            assert bucket.take(now + wait + 1e-6, n)
        bucket = TokenBucket(capacity, per_s, now)


@given(amounts, amounts, st.floats(0, 100), st.floats(0, 1e6))
def test_debts_are_bounded_and_end(
    capacity: float, per_s: float, now: float, charged: float
) -> None:
    bucket = TokenBucket(capacity, per_s, now)
    bucket.charge(now, charged)
    assert bucket.wait_s(now, 0) <= capacity / per_s + 1e-9
    assert bucket.wait_s(now + 2 * capacity / per_s + 1e-6, capacity) <= 1e-6


def test_a_clock_that_goes_back_gives_nothing() -> None:
    bucket = TokenBucket(1, 1, 10.0)
    assert bucket.take(10.0)
    assert not bucket.take(5.0)
    assert not bucket.take(10.5)
    assert bucket.take(11.0)


@pytest.mark.parametrize(("capacity", "per_s"), [(0, 1), (1, 0), (-1, 1)])
def test_a_bucket_that_lets_nobody_in_is_refused(capacity: float, per_s: float) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        TokenBucket(capacity, per_s, 0.0)


# Throttle


def throttle(**changes: float) -> Throttle:
    given = {"refusals": 3, "ban_s": 60, "most_callers": 100, **changes}
    return Throttle({"calls": 60}, given["refusals"], given["ban_s"], int(given["most_callers"]))


def test_caller_over_a_limit_learns_when_to_retry() -> None:
    limits = throttle()
    assert all(limits.take("a", "calls", 0.0) is None for _ in range(60))
    refusal = limits.take("a", "calls", 0.0)
    assert refusal is not None
    assert (refusal.what, refusal.most, refusal.banned) == ("calls", 60, False)
    assert refusal.wait_s == pytest.approx(1.0)
    assert limits.take("b", "calls", 0.0) is None
    assert limits.take("a", "calls", refusal.wait_s) is None


def test_persistent_caller_is_banned_for_a_while() -> None:
    limits = throttle()
    for _ in range(60):
        limits.take("a", "calls", 0.0)
    refusals = [limits.take("a", "calls", 0.0) for _ in range(6)]
    assert [each and (each.banned, each.begins) for each in refusals] == [
        (False, False),
        (False, False),
        (False, False),
        (False, False),
        (True, True),
        (True, False),
    ]
    assert limits.ban("a", 0.0)
    # Coming again and again does not make it longer.
    assert limits.take("a", "calls", 59.0)
    assert limits.take("a", "calls", 60.0) is None


def test_past_events_are_charged_and_the_next_refused() -> None:
    limits = throttle()
    assert limits.charge("a", "calls", 0.0, 60) is None
    refusal = limits.charge("a", "calls", 0.0, 30)
    assert refusal is not None
    assert refusal.wait_s == pytest.approx(30.0)
    assert limits.exhausted("a", "calls", 29.0)
    assert limits.exhausted("a", "calls", 31.0) is None
    assert limits.exhausted("stranger", "calls", 0.0) is None


@given(st.lists(st.integers(0, 1000), max_size=300))
def test_it_remembers_so_many_callers_at_most(callers: list[int]) -> None:
    limits = throttle(most_callers=10)
    for now, caller in enumerate(callers):
        limits.take(caller, "calls", float(now))
        assert len(limits) <= 10


@given(st.lists(st.tuples(st.floats(0, 0.9), st.integers(1, 3)), max_size=200))
def test_within_the_limits_nobody_is_refused(steps: list[tuple[float, int]]) -> None:
    limits, now, left = throttle(), 0.0, 60.0
    for pause, count in steps:
        now, left = now + pause, min(60.0, left + pause)
        if left - count < 1e-6:
            continue
        left -= count
        assert limits.take("a", "calls", now, count) is None


# Peers


@pytest.mark.parametrize(
    ("text", "counted", "port"),
    [
        ("ipv4:192.0.2.7:4711", "192.0.2.7", 4711),
        ("ipv6:%5B2001:db8:1:2:3::4%5D:4711", "2001:db8:1:2::/64", 4711),
        ("ipv6:[2001:db8:1:2::9]:1", "2001:db8:1:2::/64", 1),
        ("ipv6:%5B::ffff:192.0.2.7%5D:80", "192.0.2.7", 80),
        ("ipv6:%5Bfe80::1%25eth0%5D:80", "fe80::/64", 80),
        ("unix:/tmp/x", "", 0),
        ("unknown", "", 0),
    ],
)
def test_peers_as_grpc_names_them(text: str, counted: str, port: int) -> None:
    peer = parse_peer(text)
    assert (peer.network, peer.port) == (counted, port)


def test_networks_are_exempt() -> None:
    listed = networks("127.0.0.0/8, ::1,2001:db8::/32")
    for address, exempt in [
        ("127.3.2.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("2001:db8:7::1", True),
        ("192.0.2.7", False),
        ("::2", False),
    ]:
        assert Peer(plain(address), 1).within(listed) is exempt, address
    assert Peer(None).within(())
    assert networks("") == ()
    assert network(plain("::1")) == "::/64"
