"""How many matches it saves to take luck out, and how sure that is."""

from dataclasses import fields, replace

import numpy as np
import pytest

from arena.tournaments.ratings.coefficient import PARTS
from arena.tournaments.ratings.luck_saved import FEWEST, Saved, TableLuck, less_luck, saved
from arena.tournaments.ratings.match_luck import HALF


def parts(deals: int, share: float, chance: np.random.Generator, bots: int = 4) -> TableLuck:
    """Deals of one table in which bots score at random, and so much of the variance is luck."""
    luck = np.rint(HALF * 2 * share**0.5 * chance.normal(0, 1, (deals, bots))).astype(np.int64)
    rest = 2 * (1 - share) ** 0.5 * chance.normal(0, 1, (deals, bots))
    halves = np.rint(3 + luck / HALF + rest).astype(np.int64)

    def sums(values: np.ndarray) -> np.ndarray:
        return np.array([values[part::PARTS].sum(axis=0) for part in range(PARTS)])

    each = np.ones((PARTS, bots), dtype=np.int64)
    return TableLuck(
        np.zeros(PARTS, dtype=np.int64),
        np.ones(PARTS, dtype=np.int64),
        np.arange(PARTS),
        sums(np.ones(deals, dtype=np.int64)),
        each * np.arange(1, bots + 1),
        each,
        sums(halves),
        sums(halves**2),
        sums(luck),
        sums(halves * luck),
        sums(luck**2),
    )


def found_of(*tables: TableLuck) -> Saved:
    return saved(tables, less_luck(tables, 4))


def test_half_of_the_variance_taken_out_halves_the_matches() -> None:
    found = found_of(parts(40_000, 0.5, np.random.default_rng(1)))

    assert found.factor == pytest.approx(2.0, rel=0.05)


@pytest.mark.long
def test_the_interval_contains_the_true_factor_in_95_of_100_cases() -> None:
    chance = np.random.default_rng(5)
    # Points are whole, which adds 1/12 to either variance.
    true = (4 + 1 / 12) / (4 * 0.6 + 1 / 12)
    inside = 0
    for _ in range(400):
        found = found_of(parts(300, 0.4, chance))
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= true <= found.high

    assert 0.92 < inside / 400 < 0.98


def test_tables_are_never_compared_with_each_other() -> None:
    one = parts(2000, 0.5, np.random.default_rng(3))
    deals = one.deals[:, None]
    other = replace(
        one,
        table=one.table + 1,
        players=one.players + 4,
        halves=one.halves + 40 * deals,
        squares=one.squares + 80 * one.halves + 1600 * deals,
        crossed=one.crossed + 40 * one.luck,
    )
    both = TableLuck(
        *(np.concatenate([getattr(t, each.name) for t in (one, other)]) for each in fields(one))
    )
    less = less_luck([one], 4)[0]
    twice = replace(
        less,
        coefficient=np.tile(less.coefficient, 2),
        halves=np.tile(less.halves, (2, 1)),
        squares=np.concatenate([less.squares, less.squares + 80 * less.halves]),
    )

    assert saved([both], [twice]).factor == pytest.approx(found_of(one).factor)


def test_no_factor_is_given_for_few_or_equal_deals() -> None:
    assert saved([], []) == Saved()
    few = found_of(parts(FEWEST - 1, 0.5, np.random.default_rng(2)))
    assert few.factor is None
    assert few.coefficient is not None
    nothing = np.zeros((PARTS, 4), dtype=np.int64)
    some = parts(900, 0.5, np.random.default_rng(2))
    equal = replace(
        some,
        halves=some.deals[:, None] * 3 + nothing,
        squares=some.deals[:, None] * 9 + nothing,
        luck=nothing,
        crossed=nothing,
        luck_squares=nothing,
    )
    assert found_of(equal).factor is None


def test_luck_of_each_model_has_a_coefficient_of_its_own() -> None:
    """Luck of different versions is never added up."""
    one = parts(20_000, 0.5, np.random.default_rng(4))
    doubled = replace(
        one,
        model=one.model + 1,
        luck=2 * one.luck,
        crossed=2 * one.crossed,
        luck_squares=4 * one.luck_squares,
    )

    first, second = less_luck([one, doubled], 4)

    assert first.coefficient == pytest.approx(np.ones(PARTS), abs=0.05)
    assert second.coefficient == pytest.approx(np.full(PARTS, 0.5), abs=0.05)
    assert first.halves == pytest.approx(second.halves, rel=0.01)
