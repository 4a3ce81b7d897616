"""The leaderboard's summary in plain sentences."""

import pytest

from dashboard.ratings.table.takeaways import Comparison


def compared(distance: float, matches: int = 100) -> Comparison:
    """Two bots that differ by this many standard errors; 4 are conclusive."""
    return Comparison("sharp", "careful", 10 * distance, 19.6, distance, 4.0, matches)


@pytest.mark.parametrize(
    ("distance", "sentence"),
    [
        (5.0, "sharp is stronger than careful: 50 ± 20 rating points ahead."),
        (
            2.0,
            "sharp is probably stronger than careful (20 ± 20 rating points);"
            " about 300 more matches each would settle it.",
        ),
        (
            1.0,
            "sharp and careful cannot be told apart yet (10 ± 20 rating points);"
            " about 1,500 more matches each would.",
        ),
        (0.1, "sharp and careful cannot be told apart yet (1 ± 20 rating points)."),
        (0.0, "sharp and careful cannot be told apart yet (0 ± 20 rating points)."),
    ],
)
def test_neighbours_are_compared_as_far_as_is_known(distance: float, sentence: str) -> None:
    assert compared(distance).sentence == sentence


def test_one_match_is_not_called_matches() -> None:
    assert "about 1 more match each would settle it" in compared(3.99, matches=100).sentence


def test_as_many_matches_as_it_says_are_enough_and_hardly_more_than_that() -> None:
    """With n times the matches a difference is the root of n times as many standard errors."""
    for distance in (0.8, 1.3, 2.0, 3.1, 3.9):
        open_ = compared(distance, matches=1234)
        more = open_.more
        assert more is not None

        after = compared(distance * ((1234 + more) / 1234) ** 0.5)
        a_tenth_less = compared(distance * ((1234 + 0.89 * more) / 1234) ** 0.5)

        assert after.distance >= after.needed
        assert not a_tenth_less.settled
