"""Values in a query string: what is published of them, and how they are read."""

from datetime import date
from typing import Any

import pytest

from arena.base.errors import InvalidRequest
from arena.games.rules import GAMES
from arena.games.rules.lama import Lama
from dashboard.api.parameters import GAME, SINCE, Parameter, choice, number, text

SEAT = number("seat", "A seat.", 0, 5)
DRAWN = choice("drawn", "Drawn.", (0, 1), 0)
EVERY = choice("every", "All.", (False, True), False)
NAME = text("name", "A name.", "a name", "[a-z.]{1,4}")


@pytest.mark.parametrize(
    ("parameter", "schema"),
    [
        (SEAT, {"type": "integer", "minimum": 0, "maximum": 5}),
        (DRAWN, {"type": "integer", "enum": [0, 1], "default": 0}),
        (EVERY, {"type": "boolean", "enum": [False, True], "default": False}),
        (NAME, {"type": "string", "pattern": "^[a-z.]{1,4}$", "description": "a name"}),
    ],
)
def test_a_parameter_is_published_with_all_that_it_takes(
    parameter: Parameter, schema: dict[str, Any]
) -> None:
    assert parameter.schema == schema


@pytest.mark.parametrize(
    ("parameter", "given", "value"),
    [
        (SEAT, "5", 5),
        (SEAT, "005", 5),
        (DRAWN, "1", 1),
        (EVERY, "true", True),
        (NAME, "a.b", "a.b"),
    ],
)
def test_a_text_is_read_as_what_is_published(
    parameter: Parameter, given: str, value: object
) -> None:
    found = parameter.read(given)

    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "given", ["", "6", "-1", "+1", " 1", "1_0", "1.0", "1e0", "\u0665", "9" * 5000]
)
def test_only_digits_are_a_whole_number(given: str) -> None:
    with pytest.raises(
        InvalidRequest, match="is not a valid seat. Give a whole number from 0 to 5"
    ):
        SEAT.read(given)


@pytest.mark.parametrize(
    ("parameter", "given"),
    [
        (DRAWN, "true"), (DRAWN, "2"), (EVERY, "1"), (EVERY, "True"), (EVERY, ""),
        (NAME, "ada\n"), (NAME, "\u017f"), (NAME, "abcde"), (NAME, ""),
    ],
)  # fmt: skip
def test_values_outside_the_schema_are_refused(parameter: Parameter, given: str) -> None:
    with pytest.raises(InvalidRequest, match=f"is not a valid {parameter.name}. Give "):
        parameter.read(given)


def test_a_game_that_is_added_while_the_arena_runs_can_be_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(InvalidRequest, match='"owls" is not a valid game. Give one of lama, '):
        GAME.read("owls")

    monkeypatch.setitem(GAMES, "owls", Lama)

    assert GAME.read("owls") == "owls"
    assert GAME.schema["enum"] == list(GAMES)


@pytest.mark.parametrize("given", ["", "2026-13-01", "20260101", "2026-1-1", "2026-W01-1", "0"])
def test_only_a_year_a_month_and_a_day_with_hyphens_are_a_date(given: str) -> None:
    assert SINCE.read("2026-01-01") == date(2026, 1, 1)
    with pytest.raises(InvalidRequest, match="Give a day like 2026-11-24"):
        SINCE.read(given)
