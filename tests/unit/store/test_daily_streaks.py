"""Streaks of days with a daily deal, and the days themselves."""

from datetime import date

import pytest

from arena.base.errors import NotFound
from arena.store.reports.daily import days_in_a_row
from arena.store.tournaments.daily import DAY_S, date_of, day_from, day_of


@pytest.mark.parametrize(
    ("days", "length"),
    [
        ([], 0),
        ([100], 1),
        ([100, 99, 98], 3),
        ([99, 98], 2),  # today can still be played
        ([98, 97], 0),
        ([100, 98, 97], 1),
        ([99, 97], 1),
    ],
)
def test_a_streak_ends_at_the_first_missed_day(days: list[int], length: int) -> None:
    assert days_in_a_row(days, 100) == length


def test_a_day_starts_at_midnight_utc() -> None:
    day = day_from("2026-11-28")

    assert date_of(day) == date(2026, 11, 28)
    assert day_of(day * DAY_S) == day
    assert day_of(day * DAY_S - 0.001) == day - 1


@pytest.mark.parametrize("text", ["", "today", "2026-02-30", "28.11.2026", "2026-11-28T00:00"])
def test_other_texts_are_no_days(text: str) -> None:
    with pytest.raises(NotFound, match="Write it like 2026-11-28"):
        day_from(text)
