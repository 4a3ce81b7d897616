"""Valid tournaments, and the errors for invalid ones."""

from dataclasses import replace
from typing import Any

import pytest

from arena.base.errors import InvalidRequest
from arena.tournaments.formats import TournamentSpec, check_spec

SOUND = TournamentSpec(bots=("ada", "bob", "cyd", "dan"))


def test_a_checked_spec_has_a_name_and_all_options() -> None:
    checked = check_spec(SOUND)

    assert checked.name == "lama round-robin, 4 bots, 4 seats"
    assert checked.options == {"max_rounds": "500"}
    assert (checked.matches, checked.move_ms, checked.start_grace_s) == (40, 2000, 30)


def test_checking_twice_changes_nothing() -> None:
    assert check_spec(check_spec(SOUND)) == check_spec(SOUND)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"game": "poker"}, "poker"),
        ({"options": {"colour": "red"}}, "colour"),
        ({"format": "swiss-ish"}, "round-robin"),
        ({"seats": 1}, "2 to 6"),
        ({"seats": 7}, "2 to 6"),
        ({"bots": ()}, "only 0 bots"),
        ({"seats": 5}, "only 4 bots"),
        ({"bots": ("ada", "bob", "cyd", "ADA")}, '"ADA" is entered twice'),
        ({"matches": -1}, "matches is -1"),
        (
            {"matches": 10**9, "format_options": {"tables": "all"}, "seats": 3},
            "at most 1,000,000,000",
        ),
        ({"deals": 10}, "own deal. Give the number of matches, as in --matches 40"),
        ({"deals": 1, "matches": 4, "format_options": {"deals": "duplicate"}}, "not both"),
        ({"format_options": {"deals": "some"}}, "takes own or duplicate"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**64}, "seed is"),
        ({"move_ms": 0}, "move_ms is 0"),
        ({"start_grace_s": -1}, "start_grace_s is -1"),
        ({"fault_limit": 0}, "fault_limit is 0"),
        ({"isolation": "bot"}, "Choose match or tournament"),
        ({"name": "x" * 200}, "at most 120"),
        ({"name": "two\nlines"}, "one line"),
    ],
)
def test_unplayable_spec_is_rejected_with_a_sentence(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidRequest, match=said) as refused:
        check_spec(replace(SOUND, **change))

    assert str(refused.value).endswith(".")
