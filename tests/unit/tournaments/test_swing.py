"""The band around a live Elo: it holds the strength of a bot that does not change."""

import random
from math import log

import pytest

from arena.tournaments.ratings.elo import START, changes
from arena.tournaments.ratings.swing import UNKNOWN, half_width, variances

ELO = 400 / log(10)


def covered(seats: int, late: int, matches: int, seed: int) -> tuple[float, float]:
    """How often strengths lie in the bands: of bots that began together, and of `late` ones.

    Late ones come after half of the matches, and play as often as the others from then on.
    """
    chance = random.Random(seed)
    early = 8
    strengths = [chance.gauss(0, 110) for _ in range(early + late)]
    strengths = [s - sum(strengths[:early]) / early for s in strengths]
    elo = [START] * len(strengths)
    played, spread = [0] * len(strengths), [UNKNOWN] * len(strengths)
    inside: list[list[bool]] = [[], []]
    for number in range(matches):
        there = range(early if number < matches // 2 else len(strengths))
        table = chance.sample(there, seats)
        forms = [strengths[i] / ELO - log(-log(1 - chance.random())) for i in table]
        points = [sum(other > form for other in forms) for form in forms]
        before = [elo[i] for i in table]
        count = [played[i] for i in table]
        moved = changes(before, count, points, [False] * seats)
        after = variances([spread[i] for i in table], count)
        for i, change, variance in zip(table, moved, after, strict=True):
            elo[i] += change
            spread[i] = variance
            played[i] += 1
            # Elo is conserved among all, so late ones shift what the first ones are measured by.
            middle = sum(elo[:early]) / early
            off = abs(elo[i] - middle - strengths[i])
            inside[i >= early].append(off <= half_width(variance))
    first, last = (sum(hits) / max(len(hits), 1) for hits in inside)
    return first, last


@pytest.mark.long
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_the_band_holds_the_strength_of_bots_that_do_not_change(seats: int) -> None:
    runs = [covered(seats, 0, 2000, seed)[0] for seed in range(5)]

    assert 0.94 < sum(runs) / len(runs) < 0.99


@pytest.mark.long
def test_it_also_holds_that_of_a_bot_that_comes_late_and_so_moves_slowly() -> None:
    runs = [covered(4, 2, 3000, seed)[1] for seed in range(5)]

    assert 0.93 < sum(runs) / len(runs) < 0.995


def test_band_starts_wide_and_ends_at_the_fluctuation_of_elo() -> None:
    spread, widths = [UNKNOWN] * 4, []
    for played in range(3000):
        widths.append(half_width(spread[0]))
        spread = variances(spread, [played] * 4)

    assert widths[0] == pytest.approx(392, abs=1)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == pytest.approx(27, abs=1)


def test_band_narrows_later_against_veterans_than_against_new_bots() -> None:
    among_old = among_new = UNKNOWN
    for played in range(100):
        among_old = variances([among_old, 300.0], [played, 5000])[0]
        among_new = variances([among_new, UNKNOWN], [played, played])[0]

    assert among_old > 4 * among_new


def test_unequal_tables_and_equal_ones_follow_one_formula() -> None:
    equal = variances([900.0] * 3, [800, 800, 800])
    nearly = variances([900.0] * 3, [800, 800, 559])  # its factor is a bit over 4

    assert nearly[0] == pytest.approx(equal[0], rel=1e-3)
