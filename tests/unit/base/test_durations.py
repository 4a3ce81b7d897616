"""Lengths of time in words: the largest unit and the next."""

import pytest

from arena.base.text import duration


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-3, "0 s"),
        (0.4, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (125, "2 min 5 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 0 min"),
        (86_399, "23 h 59 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_the_largest_unit_and_the_next_are_said(seconds: float, said: str) -> None:
    assert duration(seconds) == said
