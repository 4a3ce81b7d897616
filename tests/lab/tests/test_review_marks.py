"""A second review, with other samples, repeats most of the marks."""

import pytest

from arena.bots import HOUSE
from arena.sdk.local import play
from arena.sdk.recorded import replayed
from arena.value.review import review_match
from arena.value.review.calibration import agreement, marks_of

pytestmark = pytest.mark.lab


def test_a_second_review_repeats_most_marks_of_the_hardest_game() -> None:
    bots = [HOUSE[name]() for name in ("five", "sharp", "careful")]
    match = replayed(play(bots, "kadabra", 0, match="m0"))
    marks = marks_of([review_match(match, again=again) for again in range(3)])
    every_mark = agreement(marks)[-1]
    assert every_mark.marked > 20
    assert every_mark.again is not None
    assert every_mark.again > 0.84
