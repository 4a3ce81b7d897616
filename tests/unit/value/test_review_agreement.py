"""Agreement of several reviews on verdicts."""

from arena.value.review.calibration import Agreement, agreement


def test_a_mark_is_the_same_in_all_reviews_or_only_in_some() -> None:
    found = agreement(
        [
            ("blunder", "blunder", "blunder"),
            ("blunder", "mistake", "mistake"),
            ("", "", "inaccuracy"),
            ("", "", ""),
        ]
    )
    assert found == [
        Agreement("blunder", 2, 1, 6 / 8),
        Agreement("mistake", 1, 0, 2 / 4),
        Agreement("inaccuracy", 1, 0, 0.0),
        Agreement("", 3, 1, 8 / 14),
    ]


def test_without_marks_there_is_nothing_to_share() -> None:
    assert {(each.marked, each.same, each.again) for each in agreement([("", "")])} == {
        (0, 0, None)
    }
