"""Who is turned away at a gateway, what they are told, and whom it does not concern."""

from typing import Any

import pytest

from arena.base.config import Settings
from arena.service.gateway.rate_limiter import ABANDONED_WITHIN_S, LimitExceeded, RateLimiter
from arena.service.gateway.throttle import Peer, parse_peer

SCHOOL = parse_peer("ipv4:192.0.2.7:4711")
ELSEWHERE = parse_peer("ipv4:192.0.2.8:4711")
HERE = parse_peer("ipv4:127.0.0.1:4711")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def limiter(clock: Clock, **settings: Any) -> RateLimiter:
    given = {"people_per_address": 1, "refusals_per_minute": 3, **settings}
    return RateLimiter(Settings(**given), clock)


def log_in(made: RateLimiter, peer: Peer, token: str, *, right: bool) -> None:
    made.call_started(peer, token)
    made.login_tried(peer, token)
    if right:
        made.login_good(token)
    else:
        made.login_failed(peer, token)


def refusal(made: RateLimiter, peer: Peer, token: str = "wrong") -> LimitExceeded:
    with pytest.raises(LimitExceeded) as caught:
        log_in(made, peer, token, right=False)
    return caught.value


def test_wrong_tokens_are_refused_with_a_reason_then_banned_and_forgiven(clock: Clock) -> None:
    made = limiter(clock)
    for _ in range(10):
        log_in(made, SCHOOL, "wrong", right=False)

    first = refusal(made, SCHOOL)
    assert str(first) == (
        "More than 10 calls with a wrong token a minute came from 192.0.2.7. Try again in 6 s."
        " Check ARENA_TOKEN or ARENA_ADMIN_TOKEN. Clients that retry earlier are banned for"
        " 1 min 0 s."
    )
    assert first.wait_s == pytest.approx(6)
    assert not first.banned
    errors = [refusal(made, SCHOOL) for _ in range(5)]
    assert [error.banned for error in errors] == [False, False, False, True, True]
    assert str(errors[-1]).startswith("The address 192.0.2.7 is banned for another 1 min 0 s, ")
    assert made.to_hang_up == {SCHOOL}

    log_in(made, ELSEWHERE, "wrong", right=False)
    clock.now += 60
    log_in(made, SCHOOL, "wrong", right=False)


def test_caller_that_waits_is_never_banned(clock: Clock) -> None:
    made = limiter(clock)
    for _ in range(10):
        log_in(made, SCHOOL, "wrong", right=False)
    for _ in range(100):
        error = refusal(made, SCHOOL)
        assert not error.banned
        clock.now += error.wait_s + 0.001
        log_in(made, SCHOOL, "wrong", right=False)


def test_a_banned_address_still_lets_those_in_who_were_good_before(clock: Clock) -> None:
    made = limiter(clock)
    log_in(made, SCHOOL, "good", right=True)
    for _ in range(10):
        log_in(made, SCHOOL, "wrong", right=False)
    while not refusal(made, SCHOOL).banned:
        pass

    log_in(made, SCHOOL, "good", right=True)
    made.stream_asked_for(SCHOOL, "good")
    with pytest.raises(LimitExceeded, match="The address 192.0.2.7 is banned"):
        log_in(made, SCHOOL, "good, but never seen here", right=True)


def test_wrong_tokens_do_not_count_for_any_bot(clock: Clock) -> None:
    made = limiter(clock)
    for _ in range(100):
        made.stream_asked_for(SCHOOL, "guessed")
        made.login_failed(SCHOOL, "guessed")

    made.login_good("guessed")
    made.stream_asked_for(ELSEWHERE, "guessed")


def test_reconnects_count_for_the_token_wherever_they_come_from(clock: Clock) -> None:
    told: list[tuple[str, str]] = []
    made = limiter(clock, reconnects_per_minute=2)
    made.on_ban = lambda token, sentence: told.append((token, sentence))
    made.login_good("ada's")
    made.login_good("bob's")
    made.stream_asked_for(SCHOOL, "ada's")
    made.stream_asked_for(ELSEWHERE, "ada's")
    for peer in (SCHOOL, ELSEWHERE, SCHOOL, SCHOOL):
        with pytest.raises(
            LimitExceeded, match="More than 2 new streams with this token a minute"
        ) as e:
            made.stream_asked_for(peer, "ada's")
        assert not e.value.banned
    assert not told

    for _ in range(2):
        with pytest.raises(LimitExceeded, match="This token is banned for another 1 min 0 s"):
            made.stream_asked_for(SCHOOL, "ada's")

    assert [token for token, _ in told] == ["ada's"]  # and that once
    made.stream_asked_for(SCHOOL, "bob's")


def test_a_token_that_is_void_gets_nobody_banned(clock: Clock) -> None:
    made = limiter(clock, reconnects_per_minute=1)
    made.login_good("old")
    made.stream_asked_for(SCHOOL, "old")
    made.login_failed(SCHOOL, "old")

    for _ in range(10):
        made.stream_asked_for(SCHOOL, "old")
    made.login_good("new")
    made.stream_asked_for(SCHOOL, "new")


def test_calls_cancelled_at_once_get_their_connection_closed(clock: Clock) -> None:
    made = limiter(clock, abandoned_calls_per_minute=5)
    for _ in range(100):
        began = clock.now
        clock.now += 2 * ABANDONED_WITHIN_S
        made.call_cancelled(SCHOOL, began)
    for _ in range(5):
        made.call_cancelled(SCHOOL, clock.now)
    assert not made.to_hang_up
    for _ in range(1 + 3 + 1):  # told, ignored, banned
        made.call_cancelled(SCHOOL, clock.now)

    assert made.to_hang_up == {SCHOOL}
    with pytest.raises(LimitExceeded, match="calls that were cancelled immediately"):
        made.call_started(SCHOOL, "")


def test_a_connection_answers_for_itself_before_its_whole_address_does(clock: Clock) -> None:
    made = limiter(clock, abandoned_calls_per_minute=5, people_per_address=100)
    neighbour = parse_peer("ipv4:192.0.2.7:4712")
    for _ in range(10):
        made.call_cancelled(SCHOOL, clock.now)
    made.call_cancelled(neighbour, clock.now)

    assert made.to_hang_up == {SCHOOL}
    made.call_started(neighbour, "")


def test_a_machine_of_ones_own_has_no_limits_by_address(clock: Clock) -> None:
    made = limiter(clock, reconnects_per_minute=1)
    for _ in range(10_000):
        log_in(made, HERE, "wrong", right=False)
        made.call_cancelled(HERE, clock.now)
        made.call_ended(HERE)

    made.login_good("good")
    made.stream_asked_for(HERE, "good")
    with pytest.raises(LimitExceeded):  # a token has them everywhere
        made.stream_asked_for(HERE, "good")
    assert not made.to_hang_up
    assert not made.busy


def test_the_administrator_is_never_refused(clock: Clock) -> None:
    made = limiter(clock, calls_per_minute=1)
    for _ in range(100):
        made.call_started(SCHOOL, "admin", trusted=True)


def test_a_bot_with_hundreds_of_matches_meets_no_limit(clock: Clock) -> None:
    from arena.service.gateway.sessions.outputs import Outputs
    from arena.service.gateway.sessions.stream import Login, Stream

    made, stream = limiter(clock), Stream(Login(1, "token"), Outputs())
    for _ in range(10_000):
        stream.asked(512)
        for _ in range(8):
            if excess := stream.received(64):
                assert made.spare_choices("token", excess) is None
    assert stream.received(1) == 1


def test_ten_thousand_bots_may_come_back_at_once(clock: Clock) -> None:
    made = RateLimiter(Settings(), clock)
    for number in range(10_000):
        log_in(made, SCHOOL, f"token {number}", right=True)
        made.stream_asked_for(SCHOOL, f"token {number}")


def test_choices_beyond_the_decisions_sent_are_counted_for_the_token(clock: Clock) -> None:
    made = limiter(clock, spare_choices_per_minute=100)
    assert made.spare_choices("token", 100) is None
    error = made.spare_choices("token", 50)
    assert error is not None
    assert str(error).startswith(
        "More than 100 choices beyond the decisions sent a minute came from this bot. Try again in"
        " 30 s. Answer each decision once."
    )
