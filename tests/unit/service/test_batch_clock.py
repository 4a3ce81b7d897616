"""The clock of decisions that came together, and replies that wait for each other."""

import pytest

from arena.base.keepalive import LEAST_AFTER_ABSENCE_S
from arena.service.gateway.sessions.batches import DecisionBatch, Encoded
from arena.service.gateway.sessions.outputs import MOST_IN_A_BUNDLE, Bundle, ReplyBuffer


def batch(allowed: float, left: float | None = None, **changes: float) -> DecisionBatch:
    return DecisionBatch(
        [1], Encoded((b"",)), allowed, "list", allowed if left is None else left, **changes
    )


def replies(count: int) -> Bundle:
    return Bundle(list(range(count)), [0] * count, [0] * count)


@pytest.mark.parametrize(
    ("allowed", "left", "lacks"),
    [(5.0, 0.2, LEAST_AFTER_ABSENCE_S - 0.2), (5.0, 3.0, 0.0), (0.5, 0.2, 0.3)],
)
def test_a_bot_that_was_away_gets_a_second_but_never_more_than_it_had(
    allowed: float, left: float, lacks: float
) -> None:
    assert batch(allowed, left).lacks() == pytest.approx(lacks)


def test_a_stall_while_a_decision_waits_to_be_read_is_given_back() -> None:
    waiting = batch(2.0, offered=10.0)

    waiting.forgive(11.0, 12.5)

    assert not waiting.expired_unread(13.4)
    assert waiting.expired_unread(13.5)
    waiting.start(13.0)
    assert waiting.ends == pytest.approx(13.0 + 2.0 - (13.0 - 10.0 - 1.5))


def test_replies_are_pushed_at_once_when_a_bundle_is_full() -> None:
    buffer = ReplyBuffer()
    buffer.expect("list", 3 * MOST_IN_A_BUNDLE)

    buffer.add("list", replies(MOST_IN_A_BUNDLE - 1), now=0.0)
    assert not buffer.take_ready()
    buffer.add("list", replies(1), now=0.0)

    ((_, bundle),) = buffer.take_ready()
    assert len(bundle) == MOST_IN_A_BUNDLE


def test_replies_wait_no_longer_for_one_that_goes_elsewhere() -> None:
    buffer = ReplyBuffer()
    buffer.expect("list", 20)
    buffer.add("list", replies(10), now=0.0)
    for _ in range(9):
        buffer.expect_no_longer("list")
    assert not buffer.take_ready()

    buffer.expect_no_longer("list")

    ((_, bundle),) = buffer.take_ready()
    assert len(bundle) == 10
    assert not buffer
