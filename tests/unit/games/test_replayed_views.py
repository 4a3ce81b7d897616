"""A match replayed from its record: the same views, and the drawn cards."""

from collections import Counter
from typing import Any

import pytest

from arena.cli import match_text
from arena.games.record import RecordError, replayed
from arena.games.replay import steps
from arena.games.rules import GAMES, View
from arena.sdk import Bot
from arena.sdk.local import play


class Noting(Bot):
    """Plays at random, and records its views."""

    def __init__(self, seen: list[View]) -> None:
        self.seen = seen

    def choose(self, view: View) -> str:
        self.seen.append(view._replace(key=b""))
        return view.rng().choice(view.actions)


def played(game: str, seats: int) -> tuple[dict[str, Any], list[View]]:
    seen: list[View] = []
    return play([Noting(seen) for _ in range(seats)], game, seed=seats, match="m"), seen


@pytest.mark.parametrize("seats", [2, 6])
@pytest.mark.parametrize("game", GAMES)
def test_the_views_of_a_record_are_those_that_the_bots_were_shown(game: str, seats: int) -> None:
    record, seen = played(game, seats)

    again = list(steps(replayed(record), "m"))

    asked = [step.view for step in again if len(step.view.actions) > 1]
    assert asked == seen
    moves = [move for round_ in record["rounds"] for move in round_["moves"]]
    assert [(step.view.seat, step.action) for step in again] == [
        (move["seat"], move["action"]) for move in moves
    ]


def test_drawn_card_is_in_the_hand_afterwards() -> None:
    record, _ = played("lama", 3)
    again = list(steps(replayed(record)))
    drawn = [(place, step) for place, step in enumerate(again) if step.drawn]

    assert {step.action for _, step in drawn} == {"draw"}
    compared = 0
    for place, step in drawn:
        view = step.view
        later = (other.view for other in again[place + 1 :] if other.view.seat == view.seat)
        after = next(later, None)
        if after is not None and after.round == view.round:
            assert Counter(after.hand) == Counter(view.hand) + Counter(step.drawn)
            compared += 1
    assert compared > 3


def test_a_record_that_breaks_the_rules_cannot_be_played_again() -> None:
    record, _ = played("lama", 2)
    record["rounds"][0]["moves"][0]["action"] = "keep"

    with pytest.raises(RecordError, match="breaks the rules"):
        replayed(record)


@pytest.mark.parametrize("game", GAMES)
def test_match_is_printed_with_every_hand_in_80_columns(game: str) -> None:
    record, _ = played(game, 6)
    for seat, name in zip(
        record["seats"], ("a" * 40, "b" * 17, "c" * 16, "d", "e", "f"), strict=True
    ):
        seat["bot"] = name

    told = list(match_text.lines(record))

    assert max(map(len, told)) <= 80
    moves = [line for line in told if line[:6].strip().isdigit()]
    again = list(steps(replayed(record)))
    assert len(moves) == len(again)
    for line, step in zip(moves, again, strict=True):
        assert line.split()[0] == str(step.view.number)
        assert step.action in line
        if step.drawn:
            assert f"{step.action}: {' '.join(step.drawn)}" in line
        assert line.endswith("  " + " ".join(step.view.hand)) or len(line) > 70
    assert any("a" * 15 + "…" in line for line in moves)


def test_a_long_hand_goes_on_below_itself() -> None:
    cards = ["llama"] * 12

    first, second, third = match_text.in_columns(" " * 40 + "draw  ", cards)

    assert first.split() == ["draw", *["llama"] * 5]
    assert second == " " * 46 + " ".join(["llama"] * 5)
    assert third == " " * 46 + "llama llama"
