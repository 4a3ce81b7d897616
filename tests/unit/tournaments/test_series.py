"""Series: local start times, checks, and the points of a season."""

from dataclasses import replace
from datetime import date, datetime
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from arena.base.errors import InvalidRequest
from arena.tournaments.formats.series import (
    POINTS,
    Recurrence,
    check_recurrence,
    points,
    read_date,
    season,
)

BERLIN = ZoneInfo("Europe/Berlin")
WEEKLY = Recurrence(7, "Europe/Berlin", date(2027, 6, 30))


def unix(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp()


def local(moments: list[float]) -> list[str]:
    return [f"{datetime.fromtimestamp(at, BERLIN):%Y-%m-%d %H:%M}" for at in moments]


FIRST = unix("2027-03-12T18:00")


def test_the_local_time_stays_across_a_clock_change() -> None:
    coming = list(islice(WEEKLY.dates(FIRST, FIRST), 3))
    assert local(coming) == ["2027-03-19 18:00", "2027-03-26 18:00", "2027-04-02 18:00"]
    assert coming[2] - coming[1] == 7 * 86_400 - 3600  # the clocks change on 28 March


def test_fractions_of_a_second_give_no_date_twice() -> None:
    coming = list(islice(WEEKLY.dates(FIRST + 0.123456789, FIRST + 0.123456789), 1))
    assert local(coming) == ["2027-03-19 18:00"]


def test_a_skipped_time_moves_for_that_day_only() -> None:
    first = unix("2027-03-27T02:30")
    daily = replace(WEEKLY, days=1)
    assert local(list(islice(daily.dates(first, first), 2))) == [
        "2027-03-28 03:30",
        "2027-03-29 02:30",
    ]


def test_missed_dates_are_left_out_and_the_last_day_is_included() -> None:
    late = unix("2027-06-16T18:00")
    last = replace(WEEKLY, until=date(2027, 6, 25))
    assert local(list(last.dates(FIRST, late))) == ["2027-06-18 18:00", "2027-06-25 18:00"]
    assert not list(last.dates(FIRST, unix("2027-06-25T18:00")))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (replace(WEEKLY, days=3), "every 3 days"),
        (replace(WEEKLY, days=0), "every 0 days"),
        (replace(WEEKLY, zone="Mars/Base"), "not a time zone"),
        (replace(WEEKLY, zone="localtime"), "not a time zone"),
        (replace(WEEKLY, zone="Factory"), "not a time zone"),
        (replace(WEEKLY, until=date(2027, 3, 18)), "from its second start, 2027-03-19"),
        (replace(WEEKLY, until=date(2029, 3, 14)), "to 2029-03-13"),
        (replace(WEEKLY, counted=101), "is 101"),
    ],
)
def test_impossible_recurrences_are_refused(wrong: Recurrence, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        check_recurrence(wrong, FIRST)


def test_a_series_may_end_with_its_second_start() -> None:
    check_recurrence(replace(WEEKLY, until=date(2027, 3, 19)), FIRST)


def test_zones_have_their_proper_names_and_dates_are_dates() -> None:
    assert check_recurrence(replace(WEEKLY, zone="europe/BERLIN"), FIRST) == WEEKLY
    assert read_date(" 2027-06-30 ") == WEEKLY.until
    with pytest.raises(InvalidRequest, match='"soon" is not a date'):
        read_date("soon")


@pytest.mark.parametrize(
    ("recurrence", "text"),
    [
        (WEEKLY, "Every week on Friday at 18:00 (Europe/Berlin), until 2027-06-30. All results"),
        (replace(WEEKLY, days=1), "Every day at 18:00 (Europe/Berlin)"),
        (replace(WEEKLY, counted=1), "Each bot's best result counts."),
        (replace(WEEKLY, counted=3), "Each bot's best 3 results count."),
    ],
)
def test_it_is_told_in_words(recurrence: Recurrence, text: str) -> None:
    assert text in recurrence.sentence(FIRST)


def test_bots_that_share_a_place_share_its_points() -> None:
    assert points([1, 2, 3]) == [25, 18, 15]
    assert points([1, 1, 3]) == [21.5, 21.5, 15]
    shared = points([*range(1, 10), 10, 10, 12])
    assert shared[9:] == [0.5, 0.5, 0]
    assert points([1] * 10) == [sum(POINTS) / 10] * 10


def test_the_best_results_count_and_equal_totals_are_split_by_them() -> None:
    table = season(
        {
            1: {"ann": 25, "bob": 18, "cho": 15},
            2: {"ann": 1, "bob": 18, "cho": 25},
            3: {"ann": 12, "bob": 18, "dee": 25},
        },
        counted=2,
    )
    assert [(line.bot, line.total) for line in table] == [
        ("cho", 40),
        ("ann", 37),
        ("bob", 36),
        ("dee", 25),
    ]
    assert table[1].counted == {1, 3}
    assert table[2].counted == {1, 2}  # of equal results, the earlier ones
    split = season({1: {"ann": 18, "bob": 25}, 2: {"ann": 18, "bob": 11}}, counted=0)
    assert [line.bot for line in split] == ["bob", "ann"]
