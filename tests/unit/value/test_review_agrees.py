"""Reviews with other samples agree within the stated errors."""

import math

import pytest

from arena.bots import HOUSE
from arena.sdk.local import play
from arena.sdk.recorded import replayed
from arena.value.review import review_match


@pytest.mark.long
def test_another_sample_says_the_same_within_its_errors() -> None:
    record = play([HOUSE[name]() for name in ("random", "five", "sharp")], seed=3, match="m")
    match = replayed(record)
    one, other = review_match(match), review_match(match, again=1)
    assert one != other

    apart = []
    for each, again in zip(one.decisions, other.decisions, strict=True):
        scores = {option.action: option for option in again.options}
        for option in each.options:
            error = math.hypot(option.error, scores[option.action].error)
            if error:
                apart.append((option.score - scores[option.action].score) / error)
    rms = math.sqrt(sum(z * z for z in apart) / len(apart))
    assert len(apart) > 60
    assert 0.75 < rms < 1.3
    for seat, again_seat in zip(one.seats, other.seats, strict=True):
        assert abs(seat.lost - again_seat.lost) < 4 * math.hypot(seat.error, again_seat.error)
