"""Cards and seats in words."""

import pytest

from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.sentences import included_lines, luck_lines, match_luck_lines


def test_nothing_is_said_before_the_first_whole_deal() -> None:
    assert list(luck_lines(pb.Luck())) == []


@pytest.mark.parametrize(
    ("luck", "sentence"),
    [
        (
            pb.Luck(shared=True, deals=150, saved=0.284, matches=600),
            "Duplicate deals reduce the variance of a match by 28%: 72 matches are worth 100 "
            "independent ones (measured on 150 deals).",
        ),
        (
            pb.Luck(shared=True, deals=1500, saved=-0.05, matches=6000),
            "Duplicate deals: the matches of a deal are similar, with 5% more variance than "
            "independent ones (measured on 1,500 deals).",
        ),
        (
            pb.Luck(shared=True, deals=4, matches=8),
            "Duplicate deals: each table had the same results on all its deals.",
        ),
        (
            pb.Luck(shared=True, matches=8),
            "Duplicate deals: their effect is known when a table has played two deals.",
        ),
    ],
)
def test_variance_reduction_of_duplicate_deals_is_one_sentence(
    luck: pb.Luck, sentence: str
) -> None:
    assert next(luck_lines(luck)) == sentence


def test_worth_of_luck_adjustment_is_one_sentence() -> None:
    luck = pb.TournamentLuck(
        matches=1200,
        corrected=True,
        factor=1.424,
        factor_low=1.35,
        factor_high=1.499,
        coefficient=0.931,
    )

    assert list(match_luck_lines(luck)) == [
        "The luck of 1,200 matches is known. Ratings use luck-adjusted scores.",
        "100 luck-adjusted matches are worth 142 unadjusted ones (95% interval: 135 to 150). "
        "The fitted coefficient is 0.93.",
    ]
    assert list(match_luck_lines(pb.TournamentLuck())) == []


def test_pending_luck_is_reported() -> None:
    luck = pb.TournamentLuck(matches=48, looked_at=48, corrected=True)

    assert list(match_luck_lines(luck, played=60)) == [
        "The luck of 48 of 60 matches is known. Ratings use luck-adjusted scores.",
        "The luck of 12 matches is still being calculated.",
    ]
    without_model = pb.TournamentLuck(matches=48, looked_at=60, corrected=True)
    assert list(match_luck_lines(without_model, played=60)) == [
        "The luck of 48 matches is known. Ratings use luck-adjusted scores."
    ]


def test_no_further_luck_is_calculated_if_adjustment_does_not_help() -> None:
    luck = pb.TournamentLuck(
        matches=1000, looked_at=4000, factor=1.01, factor_low=0.99, factor_high=1.03
    )

    assert list(match_luck_lines(luck, played=4000))[1] == (
        "The adjustment does not make these scores more precise, so the luck of further matches is "
        "not calculated."
    )
    luck.factor_low = 1.002
    assert not any("further" in line for line in match_luck_lines(luck, played=4000))


@pytest.mark.parametrize(
    ("table", "sentences"),
    [
        (pb.RatingTable(), []),
        (pb.RatingTable(deals=60, matches=60), ["Ratings include 60 matches."]),
        (
            pb.RatingTable(deals=60, matches=60, corrected_deals=60, corrected_matches=60),
            ["Ratings include 60 matches, luck-adjusted for all of them."],
        ),
        (
            pb.RatingTable(
                deals=20, matches=60, corrected_deals=16, corrected_matches=48, luck_pending=12
            ),
            [
                "Ratings include 60 matches (20 complete deals), luck-adjusted for 48 of them.",
                "The luck of 12 matches is still being calculated. Until then they count as "
                "played, so ratings will change.",
            ],
        ),
        (
            pb.RatingTable(deals=1, matches=1, elo_pending=1),
            [
                "Ratings include 1 match.",
                "Live Elo does not include 1 match yet. It is waiting for earlier matches of the "
                "schedule.",
            ],
        ),
    ],
)
def test_included_and_pending_matches_are_reported(
    table: pb.RatingTable, sentences: list[str]
) -> None:
    assert list(included_lines(table)) == sentences


def test_points_are_told_by_seat() -> None:
    luck = pb.Luck(matches=1200, mean_points=[12.351, 12.0])

    assert list(luck_lines(luck))[-1] == (
        "Mean points by seat, first to last, over 1,200 matches: 12.35, 12.00."
    )
