"""Positions of a replay."""

from itertools import pairwise

import pytest

from arena.base.errors import NotFound
from dashboard.matches.replay.course import Course, ReplayPosition

COURSE = Course([3, 2])


def test_places_follow_one_another_from_the_first_move_to_the_last_scoring() -> None:
    walk = [ReplayPosition(1, 0)]
    while (after := COURSE.after(walk[-1])) is not None:
        walk.append(after)

    asked = [COURSE.query(place) for place in walk]

    assert asked == [
        {"move": 1}, {"move": 2}, {"move": 3}, {"scored": 1},
        {"move": 4}, {"move": 5}, {"scored": 2},
    ]  # fmt: skip


def test_the_way_back_is_the_way_on_reversed() -> None:
    back: list[ReplayPosition] = [COURSE.at_end_of(2)]
    while (before := COURSE.before(back[-1])) is not None:
        back.append(before)

    assert back[-1] == ReplayPosition(1, 0)
    assert all(COURSE.after(before) == place for place, before in pairwise(back))


def test_a_move_is_found_by_its_number() -> None:
    assert [COURSE.at_move(number) for number in (1, 3, 4, 5)] == [
        ReplayPosition(1, 0), ReplayPosition(1, 2), ReplayPosition(2, 0), ReplayPosition(2, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("number", [0, 6])
def test_a_move_that_was_not_made_is_refused(number: int) -> None:
    with pytest.raises(NotFound, match="no move .* from 1 to 5"):
        COURSE.at_move(number)


def test_a_round_that_was_not_played_is_refused() -> None:
    with pytest.raises(NotFound, match="no round 3.* from 1 to 2"):
        COURSE.at_end_of(3)
