"""The worked example of docs/ratings.md, computed again."""

from __future__ import annotations

import re
from math import log, log10, sqrt
from pathlib import Path

import pytest

from arena.cli.ratings_text import COLUMNS, PAIR_COLUMNS
from arena.tournaments.ratings.bradley_terry import fit
from arena.tournaments.ratings.deal_sums import SeatResults
from arena.tournaments.ratings.elo import expected
from arena.tournaments.ratings.normal import Z95
from tests.made_deals import duel, tallied

TEXT = (Path(__file__).parents[3] / "docs" / "ratings.md").read_text()
EXAMPLE = TEXT.partition("**Errors**")[2].partition("\n### ")[0]
BOTH, EACH, NONE = 20, 38, 2  # deals of which Ann won both matches, one, none
ANN, BOB = 1, 2


@pytest.fixture(scope="module")
def deals() -> list[list[SeatResults]]:
    return [duel(4)] * BOTH + [duel(2)] * EACH + [duel(0)] * NONE


def test_the_example_by_hand_adds_up() -> None:
    count, wins = BOTH + EACH + NONE, 2 * BOTH + EACH
    share = wins / (2 * count)
    scatter = BOTH * (2 - 2 * share) ** 2 + EACH * (1 - 2 * share) ** 2 + NONE * (2 * share) ** 2
    corrected = scatter * count / (count - 1)
    slope = 2 * count * share * (1 - share)
    error = sqrt(corrected) / slope * 400 / log(10)
    independent = 1.96 * sqrt(slope) / slope * 400 / log(10)

    words = " ".join(EXAMPLE.split())
    for number in (
        f"play {count} duplicate deals",
        f"In {BOTH} deals Ann wins both",
        f"in {EACH} each",
        f"in {NONE} Bob",
        f"{wins} wins of {2 * count}",
        f"share of {share:.2f}, so {2 * share:.1f} wins",
        f"= {400 * log10(share / (1 - share)):.1f} Elo",
        f"= {scatter:.1f} corrected",
        f"= {corrected:.2f}",
        f"= {slope:.1f} standard",
        f"= {error:.1f} Elo",
        f"= {1.96 * error:.1f} Elo",
        f"± {independent:.1f}.",
    ):
        assert number in words


def test_arena_prints_the_output_of_the_example(deals: list[list[SeatResults]]) -> None:
    anchored, centred = fit(tallied(deals).groups(), anchor=BOB), fit(tallied(deals).groups())

    printed = re.findall(r"^    (ann|bob) +(\d+) ± +(\d+)$", EXAMPLE, re.MULTILINE)
    assert printed == [
        (name, f"{anchored.ratings[i]:.0f}", f"{anchored.plus_minus[i]:.0f}")
        for i, name in enumerate(("ann", "bob"))
    ]
    for i in (0, 1):
        assert f"{centred.ratings[i]:.0f} ± {centred.plus_minus[i]:.0f}" in EXAMPLE
    difference = anchored.ratings[0] - anchored.ratings[1]
    plus_minus = Z95 * anchored.difference_error[0, 1]
    assert f"{difference:.1f} ± {plus_minus:.1f}" in EXAMPLE


def test_documented_shares_follow_the_formula() -> None:
    told = re.findall(r"(0\.\d+) at (?:D = )?(\d+)", TEXT)
    assert len(told) == 5
    for share, distance in told:
        assert f"{expected(float(distance), 0.0):.2f}".rstrip("0") == share


def test_every_column_is_explained() -> None:
    for column in (*COLUMNS, *PAIR_COLUMNS):
        if column not in ("", "bot", "version", "other", "deals"):
            assert re.search(rf"^\| .*\b{re.escape(column)}", TEXT, re.MULTILINE) or (
                f"| {column} |" in TEXT
            ), column
