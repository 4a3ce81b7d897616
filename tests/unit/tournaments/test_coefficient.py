"""The coefficient with which luck is taken out: fitted, and never to the match that it corrects."""

from dataclasses import replace

import numpy as np
import pytest

from arena.tournaments.ratings import coefficient
from arena.tournaments.ratings.coefficient import (
    FOLDS,
    MOST,
    PARTS,
    LuckRows,
    coefficients,
    parts_of,
)
from arena.tournaments.ratings.deal_sums import Integers


def duels(halves: np.ndarray, luck: np.ndarray, fold: Integers) -> LuckRows:
    """Matches (M,) of bots 1 and 2: half-points of the first, and its luck in half-points."""
    both = np.stack([halves, 2 - halves], axis=1)
    given = np.stack([luck, -luck], axis=1)
    ones = np.ones(both.shape, dtype=np.int64)
    players = np.cumsum(ones, axis=1)
    return LuckRows(fold, ones[:, 0], players, ones, both, given, both * given, given**2)


def drawn(matches: int, seed: int, explained: float = 0.5, wins: float = 0.7) -> LuckRows:
    """Matches whose scores follow luck that is scaled by 1 / `explained`."""
    chance = np.random.default_rng(seed)
    luck = chance.uniform(-0.5, 0.5, matches)
    won = chance.random(matches) < wins + explained * luck / 2
    return duels(2 * won, luck, parts_of(1, np.arange(matches)) % FOLDS)


@pytest.mark.parametrize("explained", [0.0, 0.3, 1.0, 1.1])
def test_coefficient_minimises_the_variance_with_many_matches(explained: float) -> None:
    found = coefficients([drawn(60_000, 1, explained, wins=0.45)], 2, 1)

    assert found == pytest.approx(np.full(FOLDS, explained), abs=0.06)


def test_with_few_matches_it_stays_near_that_of_the_card() -> None:
    assert coefficients([drawn(0, 1)], 2, 1).tolist() == [1.0] * FOLDS
    assert coefficients([drawn(4, 1, -1.0)], 2, 1) == pytest.approx(np.ones(FOLDS), abs=0.25)


def test_it_lies_between_0_and_2() -> None:
    assert coefficients([drawn(9000, 2, -1.0, wins=0.5)], 2, 1).tolist() == [0.0] * FOLDS
    better = drawn(9000, 2, 1.0, wins=0.5)
    tiny = replace(better, luck=better.luck / 9, crossed=better.crossed / 9)
    small = replace(tiny, squares=tiny.squares / 81)
    assert coefficients([small], 2, 1).tolist() == [MOST] * FOLDS


def test_no_score_of_a_fold_enters_its_coefficient() -> None:
    rows = drawn(400, 3)
    for fold in range(FOLDS):
        own = rows.fold == fold
        turned = 2 - rows.halves[own, 0]
        other = rows.halves.copy(), rows.crossed.copy()
        other[0][own] = np.stack([turned, 2 - turned], axis=1)
        other[1][own] = other[0][own] * rows.luck[own]
        before = coefficients([rows], 2, 1)
        after = coefficients([replace(rows, halves=other[0], crossed=other[1])], 2, 1)

        assert after[fold] == before[fold]
        assert (np.delete(after, fold) != np.delete(before, fold)).all()


@pytest.mark.long
def test_fitted_to_its_own_matches_it_would_favour_a_bot_and_cross_fitted_it_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The pathology of a value function that is tuned on its evaluation data (arXiv 2605.14261), in
    many tournaments of eight matches, where great luck, either way, goes with wins."""
    monkeypatch.setattr(coefficient, "SPREAD", 9.0)  # as few matches show it best
    chance, off, wrong = np.random.default_rng(7), [], []
    luck_of, win = np.array([1.5, 0.0, -0.5]), np.array([0.9, 0.0, 0.6])
    likely = [0.2, 0.2, 0.6]
    for tournament in range(3000):
        drawn = chance.choice(3, 8, p=likely)
        luck, won = luck_of[drawn], chance.random(8) < win[drawn]
        rows = duels(2 * won, luck, parts_of(tournament, np.arange(8)) % FOLDS)
        fitted = coefficients([rows], 2, 1)[rows.fold]
        seen = coefficients([replace(rows, fold=rows.fold + FOLDS)], 2, 1)[0]
        truth = 2 * win @ likely
        off.append((2 * won - fitted * luck).mean() - truth)
        wrong.append((2 * won - seen * luck).mean() - truth)

    error = np.std(off, ddof=1) / np.sqrt(len(off))
    assert abs(np.mean(off)) < 3 * error
    assert abs(np.mean(wrong)) > 4 * error


def test_deals_fall_into_parts_of_about_equal_size_that_follow_from_their_numbers() -> None:
    parts = parts_of(3, np.arange(16_000))

    assert parts_of(3, np.array([5, 7])).tolist() == parts[[5, 7]].tolist()
    assert np.bincount(parts, minlength=PARTS) == pytest.approx(np.full(PARTS, 1000), abs=120)
    # Every sixth deal may be of the same table.
    assert np.bincount(parts[::6], minlength=PARTS) == pytest.approx(np.full(PARTS, 167), abs=50)
    assert (parts_of(4, np.arange(16_000)) == parts).mean() == pytest.approx(1 / PARTS, abs=0.01)
