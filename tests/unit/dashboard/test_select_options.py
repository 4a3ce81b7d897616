"""The options of select elements."""

from __future__ import annotations

from dashboard.layout.markup import select_options


def test_the_chosen_one_is_selected_capitals_or_not() -> None:
    assert select_options([("ada", "ada"), ("Bob", "Bob")], "bob") == (
        '<option value="ada">ada</option><option value="Bob" selected>Bob</option>'
    )


def test_numbers_are_found_too_and_nothing_is_selected_where_nothing_is_chosen() -> None:
    assert 'value="0" selected' in select_options([(0, "shared victory"), (1, "1 point")], 0)
    assert "selected" not in select_options([(0, "shared victory"), (1, "1 point")], None)


def test_option_values_are_escaped() -> None:
    assert select_options([('"', "<b>")], "") == '<option value="&#34;">&lt;b&gt;</option>'
