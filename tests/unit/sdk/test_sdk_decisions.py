"""Bots that answer many decisions at once: their input, and valid answers."""

import random
from typing import Any

import numpy as np
import pytest

from arena.games import record
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES, View, game_class
from arena.games.rules.errors import BadPacking
from arena.games.rules.rows import NONE
from arena.sdk import Bot, Decisions, play
from arena.sdk.answer import BadAnswer, checked_batch


def views(game: str, seats: int = 4, count: int = 60) -> list[View]:
    """Decisions of matches of random answers."""
    rng, found = random.Random(game), list[View]()
    while len(found) < count:
        setup = MatchSetup(f"m{len(found)}", game, rng.randbytes(16), (Seat("b"),) * seats)
        match = Match(setup)
        while (view := match.decision) is not None:
            found.append(view)
            match.answer(rng.choice(view.indices))
    return rng.sample(found, count)


@pytest.mark.parametrize("game", GAMES)
def test_they_are_views_and_arrays(game: str) -> None:
    given = views(game)
    decisions = Decisions.of(given)

    assert len(decisions) == len(given)
    assert list(decisions) == given
    assert decisions[-1] == given[-1]
    assert decisions[3:6] == given[3:6]
    assert decisions.column("number").tolist() == [view.number for view in given]
    assert decisions.column("points").tolist() == [list(view.points) for view in given]
    assert decisions.column("seat").tolist() == [view.seat for view in given]
    assert decisions.column("active").tolist() == [list(view.active) for view in given]
    legal = decisions.legal()
    assert legal.shape == (len(given), len(game_class(game).notation))
    for view, row in zip(given, legal, strict=True):
        assert set(np.flatnonzero(row)) == set(view.indices)
    assert decisions.array().shape == (len(given), decisions.layout.width)


def test_cards_are_counts_by_kind() -> None:
    given = views("dice", 3)
    decisions = Decisions.of(given)
    kinds = decisions.layout.kind.kinds
    assert decisions.column("rows").tolist() == [
        [[row.count(kind) for kind in kinds] for row in view.rows] for view in given
    ]
    assert decisions.column("hand").shape == (len(given), len(kinds))
    dice = decisions.column("dice")
    assert [[kinds[die] for die in one if die != NONE] for one in dice] == [
        list(view.dice) for view in given
    ]


def test_unknown_column_is_rejected() -> None:
    with pytest.raises(KeyError):
        Decisions.of(views("lama")).column("rows")


def test_views_of_different_tables_are_refused() -> None:
    with pytest.raises(BadPacking, match="at 4 seats"):
        Decisions.of([*views("lama", 4, 2), *views("lama", 3, 2)])


def test_no_views_are_refused() -> None:
    with pytest.raises(BadPacking, match="no views"):
        Decisions.of([])


def test_a_part_of_the_bytes_is_refused() -> None:
    decisions = Decisions.of(views("lama"))
    with pytest.raises(BadPacking):
        Decisions("lama", 4, {}, decisions.rows[:-1], decisions.moves)
    with pytest.raises(BadPacking):
        Decisions("lama", 4, {}, decisions.rows, decisions.moves + b"\0")


class Batched(Bot):
    def choose_batch(self, decisions: Decisions) -> Any:
        return decisions.column("indices")[:, 0]


class BatchedLater(Bot):
    async def choose_batch(self, decisions: Decisions) -> list[str]:
        return [view.actions[0] for view in decisions]


class First(Bot):
    def choose(self, view: View) -> int:
        return view.indices[0]


def test_a_local_match_asks_them_one_by_one() -> None:
    played = play([Batched(), BatchedLater(), First()], seed=3)
    alike = play([First(), First(), First()], seed=3)
    assert played["rounds"] == alike["rounds"]
    assert played["result"]["faults"] == [None] * 3
    record.verify(played)


def test_bot_without_either_method_gets_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert play([Bot(), First()], seed=1)["result"]["faults"] == ["error", None]
    assert "Bot has no choose(self, view)" in capsys.readouterr().err


def test_answers_of_any_kind() -> None:
    assert checked_batch([1, "draw", np.int64(3)], 3) == [1, "draw", 3]
    assert checked_batch(np.array([1, 2], np.uint8), 2) == [1, 2]
    assert checked_batch((0,), 1) == [0]


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ([1], "returned 1 answers to 2 decisions"),
        ([1, -1], "returned -1"),
        ([1, True], "returned True"),
        ([[1], [2]], r"returned \[1\]"),
        (None, "returned None"),
        (3, "returned 3"),
        (np.array([1.5, 2.0]), "returned 1.5"),
    ],
)
def test_invalid_answers_are_rejected(result: Any, said: str) -> None:
    with pytest.raises(BadAnswer, match=said):
        checked_batch(result, 2)
