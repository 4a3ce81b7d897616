"""The winners of a match in words, and the options of select elements."""

from types import SimpleNamespace
from typing import Any

import pytest

from dashboard.layout.markup import outcome, select_options


def match(*seats: tuple[str, int, bool], margin: int | None) -> Any:
    """A match of these seats, the best first: bot, rank, whether it forfeited."""
    ranked = [SimpleNamespace(bot=bot, rank=rank, forfeited=gone) for bot, rank, gone in seats]
    return SimpleNamespace(ranked=ranked, margin=margin)


@pytest.mark.parametrize(
    ("played", "said"),
    [
        (match(("ada", 1, False), ("bob", 2, False), margin=1), "ada won by 1 point"),
        (match(("ada", 1, False), ("bob", 2, False), margin=12), "ada won by 12 points"),
        (
            match(("ada", 1, False), ("bob", 1, False), ("cyd", 1, False), margin=0),
            "ada, bob and cyd share the victory",
        ),
        (
            match(("ada", 1, False), ("bob", 2, True), margin=None),
            "ada won: all others forfeited",
        ),
        (match(("ada", 1, True), ("bob", 1, True), margin=None), "No player won"),
    ],
)
def test_the_result_is_a_sentence(played: Any, said: str) -> None:
    assert outcome(played) == said


def test_the_chosen_one_is_selected_capitals_or_not() -> None:
    assert select_options([("ada", "ada"), ("Bob", "Bob")], "bob") == (
        '<option value="ada">ada</option><option value="Bob" selected>Bob</option>'
    )


def test_numbers_are_found_too_and_nothing_is_selected_where_nothing_is_chosen() -> None:
    assert 'value="0" selected' in select_options([(0, "shared victory"), (1, "1 point")], 0)
    assert "selected" not in select_options([(0, "shared victory"), (1, "1 point")], None)


def test_option_values_are_escaped() -> None:
    assert select_options([('"', "<b>")], "") == '<option value="&#34;">&lt;b&gt;</option>'
