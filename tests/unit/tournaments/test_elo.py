"""Live Elo in numbers that can be checked by hand."""

import pytest

from arena.tournaments.ratings.elo import START, changes, k_factor


@pytest.mark.parametrize(
    ("played", "k"), [(0, 64), (40, 32), (120, 16), (600, 4), (650, 4), (10**6, 4)]
)
def test_k_falls_from_64_to_4(played: int, k: float) -> None:
    assert k_factor(played) == k


def test_newcomers_with_distinct_places_move_by_a_third_of_k_a_place() -> None:
    moved = changes([START] * 4, [0] * 4, [3, 10, 17, 42], [False] * 4)

    assert moved == pytest.approx([32, 32 / 3, -32 / 3, -32])


def test_a_victory_shared_by_two_is_worth_the_same_to_both() -> None:
    moved = changes([START] * 4, [0] * 4, [5, 5, 17, 42], [False] * 4)

    assert moved == pytest.approx([64 / 3, 64 / 3, -32 / 3, -32])


def test_the_veteran_of_a_pair_decides_how_far_both_move() -> None:
    moved = changes([START, START], [0, 600], [1, 0], [False, False])

    assert moved == [-2, 2]


def test_the_favourite_gains_less_than_he_would_have_lost() -> None:
    won, _ = changes([1700, 1500], [600, 600], [0, 40], [False, False])
    lost, _ = changes([1700, 1500], [600, 600], [40, 0], [False, False])

    assert won == pytest.approx(4 / 4.1622776602)  # 10 ** (200 / 400) = 3.1622...
    assert lost == pytest.approx(won - 4)


def test_forfeits_rank_below_all_others() -> None:
    moved = changes([START] * 3, [0] * 3, [0, 20, 40], [True, False, False])

    assert moved == pytest.approx([-32, 32, 0])
