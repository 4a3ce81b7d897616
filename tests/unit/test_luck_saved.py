"""How many matches it saves to take luck out, and how sure that is."""

from __future__ import annotations

import numpy as np
import pytest

from arena.rating.luck_saved import FEWEST, PARTS, TablePart, saved
from arena.rating.match_luck import HALF


def parts(deals: int, share: float, chance: np.random.Generator, bots: int = 4) -> list[TablePart]:
    """Deals of one table in which bots score at random, and so much of the variance is luck."""
    luck = chance.normal(0, 1, (deals, bots))
    rest = chance.normal(0, 1, (deals, bots))
    halves = np.rint(10 + 2 * (share**0.5 * luck + (1 - share) ** 0.5 * rest)).astype(np.int64)
    lucky = np.rint(HALF * (halves - 2 * share**0.5 * luck)).astype(np.int64)
    return [
        TablePart(
            b"table",
            part,
            len(halves[part::PARTS]),
            halves[part::PARTS].sum(axis=0),
            (halves[part::PARTS] ** 2).sum(axis=0),
            lucky[part::PARTS].sum(axis=0),
            (lucky[part::PARTS] ** 2).sum(axis=0),
        )
        for part in range(PARTS)
    ]


def test_half_of_the_variance_taken_out_halves_the_matches() -> None:
    found = saved(parts(40_000, 0.5, np.random.default_rng(1)))

    assert found.factor == pytest.approx(2.0, rel=0.05)


def test_the_interval_contains_the_true_factor_in_95_of_100_cases() -> None:
    chance = np.random.default_rng(5)
    # Points are whole, which adds 1/12 to either variance.
    true = (4 + 1 / 12) / (4 * 0.6 + 1 / 12)
    inside = 0
    for _ in range(400):
        found = saved(parts(300, 0.4, chance))
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= true <= found.high

    assert 0.92 < inside / 400 < 0.98


def test_tables_are_never_compared_with_each_other() -> None:
    chance = np.random.default_rng(3)
    one = parts(2000, 0.5, chance)
    other = [
        TablePart(
            b"other",
            each.part,
            each.deals,
            each.halves + 40 * each.deals,
            each.squares + 80 * each.halves + 1600 * each.deals,
            each.lucky_halves,
            each.lucky_squares,
        )
        for each in one
    ]

    together = saved([*one, *other])

    assert together.factor == pytest.approx(saved(one).factor)


def test_of_few_deals_or_of_equal_ones_nothing_is_said() -> None:
    assert saved([]).factor is None
    assert saved(parts(FEWEST - 1, 0.5, np.random.default_rng(2))).factor is None
    nothing = np.zeros(4, dtype=np.int64)
    equal = [TablePart(b"", part, 90, nothing, nothing, nothing, nothing) for part in range(PARTS)]
    assert saved(equal).factor is None


def test_it_is_the_same_to_the_bit_in_whatever_order_parts_come() -> None:
    found = parts(500, 0.3, np.random.default_rng(9))

    assert saved(found[::-1]) == saved(found)
