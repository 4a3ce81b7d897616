"""Elo of people and puzzles."""

import pytest

from arena.tournaments.ratings.puzzles import changes


def test_first_answers_move_both_by_half_of_64() -> None:
    assert changes(1500, 0, 1500, 0, right=True) == (32, -32)
    assert changes(1500, 0, 1500, 0, right=False) == (-32, 32)


def test_each_side_moves_less_with_its_own_number_of_answers() -> None:
    assert changes(1500, 40, 1500, 0, right=True) == (16, -32)
    assert changes(1500, 0, 1500, 120, right=True) == (32, -8)
    assert changes(1500, 100_000, 1500, 100_000, right=True) == (2, -2)


def test_a_likely_answer_changes_little() -> None:
    own, its = changes(1900, 0, 1500, 0, right=True)
    assert own == pytest.approx(64 / 11)
    assert its == -own
    own, _ = changes(1900, 0, 1500, 0, right=False)
    assert own == pytest.approx(-640 / 11)
