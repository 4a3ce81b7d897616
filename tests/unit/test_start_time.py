"""Start times, as people write them."""

from __future__ import annotations

import pytest

from arena.control.start_time import read_start
from arena.errors import InvalidRequest


@pytest.mark.parametrize(
    "text",
    ["1970-01-02T01:00Z", "1970-01-02T01:00", "1970-01-02T03:00+02:00", " 1970-01-02 01:00 "],
)
def test_a_time_is_in_utc_unless_it_names_another_zone(text: str) -> None:
    assert read_start(text) == 90_000


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01T00:00Z", "2026-12-01T25:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest, match="write it like 2026-12-01T18:00Z"):
        read_start(text)
