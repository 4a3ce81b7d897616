"""Tickets tell nothing: neither how many questions there were, nor which moves were forced."""

from itertools import islice, pairwise

from workers.playing.batch import LARGEST, tickets


def test_they_are_drawn_and_do_not_count() -> None:
    drawn = list(islice(tickets(), 5_000))

    assert len(set(drawn)) == len(drawn)
    assert all(0 < ticket <= LARGEST for ticket in drawn)
    upwards = sum(one < other for one, other in pairwise(drawn))
    assert 2_300 < upwards < 2_700, "as often as not; ten standard deviations are 200"
    assert min(abs(one - other) for one, other in pairwise(drawn)) > 2**30
    assert sum(ticket > LARGEST // 2 for ticket in drawn) > 2_200


def test_two_runs_have_nothing_in_common() -> None:
    assert not set(islice(tickets(), 1_000)) & set(islice(tickets(), 1_000))
