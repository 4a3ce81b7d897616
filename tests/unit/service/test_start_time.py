"""Start times, as people write them."""

import zoneinfo
from collections.abc import Iterator

import pytest

from arena.base.errors import InvalidRequest
from arena.service.control.start_time import read_start


@pytest.mark.parametrize(
    "text",
    [
        *("1970-01-02T01:00Z", "1970-01-02T01:00", "1970-01-02T03:00+02:00", " 1970-01-02 01:00 "),
        *("1970-01-02T02:00 Europe/Berlin", "1970-01-02 02:00[Europe/Berlin]"),
        *("1970-01-02T02:00+01:00[Europe/Berlin]", "1970-01-02T02:00+01:00 Europe/Berlin"),
        *("1970-01-01T20:00 america/new_york", "1970-01-02T01:00 UTC"),
    ],
)
def test_a_time_is_in_utc_unless_it_names_another_zone(text: str) -> None:
    assert read_start(text) == 90_000


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01T00:00Z", "2026-12-01T25:00"])
def test_invalid_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest, match='Write it like "2026-12-01T18:00Z" or "2026'):
        read_start(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2026-12-01T18:00 Europe/Nowhere", '"Europe/Nowhere" is not a time zone'),
        ("2026-12-01T18:00 Europe", '"Europe" is not a time zone'),
        ("2026-12-01T18:00+02:00 Europe/Berlin", "another offset than Europe/Berlin has then"),
        ("2026-03-29T02:30 Europe/Berlin", r"change in Europe/Berlin .* 2026-03-29T03:30\+02:00\["),
        ("2026-10-25T02:30 Europe/Berlin", r"change in Europe/Berlin .* 2026-10-25T02:30\+02:00\["),
    ],
)
def test_a_zone_must_exist_and_give_one_time(text: str, sentence: str) -> None:
    with pytest.raises(InvalidRequest, match=sentence):
        read_start(text)


@pytest.fixture
def no_zone_data() -> Iterator[None]:
    """A system without time zone data."""
    zoneinfo.reset_tzpath(to=[])
    yield
    zoneinfo.reset_tzpath()


@pytest.mark.usefixtures("no_zone_data")
def test_a_system_without_zone_data_says_so() -> None:
    with pytest.raises(InvalidRequest, match="no time zone data.*Install the package tzdata"):
        read_start("2026-12-01T18:00 Europe/Berlin")
