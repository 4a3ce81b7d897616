"""Numbers of matches say in which month they were stored."""

from datetime import UTC, datetime

import pytest

from arena.base.errors import InvalidRequest
from arena.store.matches import months


def moment(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def test_a_month_begins_at_midnight_utc() -> None:
    november, december = moment("2026-11-30T23:59:59"), moment("2026-12-01")

    assert [months.name(months.at(each)) for each in (november, december)] == ["2026-11", "2026-12"]
    assert months.at(december) == months.at(november) + 1


def test_numbers_of_a_month_are_together_and_go_up_from_month_to_month() -> None:
    month = months.named("2026-11")
    lowest, highest = months.first(month), months.first(month + 1) - 1

    assert months.of(lowest) == months.of(highest) == month
    assert months.of(lowest - 1) == month - 1
    assert months.first(months.named("2500-01")) < 2**53  # a double holds them, and so JavaScript


def test_matches_stored_before_there_were_months_belong_to_the_earlier_month() -> None:
    assert months.of(1) == months.of(100_000_000) == months.EARLIER
    assert months.name(months.EARLIER) == "earlier"
    assert months.named("earlier") == months.EARLIER


@pytest.mark.parametrize("name", ["1970-01", "1999-12", "2026-11", "2100-06"])
def test_a_month_is_named_and_found_by_its_name(name: str) -> None:
    assert months.name(months.named(name)) == name


@pytest.mark.parametrize("name", ["", "2026", "2026-13", "11-2026", "1969-12", "november"])
def test_an_invalid_month_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest, match="Write a month like 2026-11"):
        months.named(name)
