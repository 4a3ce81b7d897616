"""Which decisions become puzzles: thresholds, their order, and values from other states."""

import math
from collections.abc import Sequence

import pytest

from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import View
from arena.value.review import Judged, Option, Review
from arena.value.review.puzzles import INTERVAL, Alternative, candidates, is_clear, puzzles_of
from arena.value.review.situation import situation_of
from arena.value.review.values import Evaluate, Values

BEST = Alternative("draw", 0.6, 0.0, 0.0)


@pytest.mark.parametrize(
    ("behind", "error", "clear"),
    [
        (0.05, 0.0, True),
        (0.0499, 0.0, False),
        (0.08, 0.02, True),
        (0.0799, 0.02, False),
        (-0.2, 0.0, False),
    ],
)
def test_every_other_action_is_behind_by_five_points_and_four_times_its_error(
    behind: float, error: float, clear: bool
) -> None:
    far = Alternative("quit", 0.2, 0.4, 0.02)
    close = Alternative("play 1", 0.6 - behind, behind, error)
    assert is_clear([BEST, close, far]) is clear
    assert is_clear([BEST, far, close]) is clear


def test_two_actions_are_not_enough() -> None:
    far = Alternative("quit", 0.2, 0.4, 0.02)
    assert is_clear([BEST, far, far])
    assert not is_clear([BEST, far])


@pytest.fixture(scope="module")
def match() -> Match:
    """A match in which every seat plays its first action."""
    seats = tuple([Seat(name) for name in ("a", "b", "c")])
    match = Match(MatchSetup("some-match", "lama", b"0123456789abcdef", seats, {}, 3))
    while view := match.decision:
        match.answer(view.actions[0])
    return match


def views(match: Match) -> list[View]:
    """The decisions with three actions or more."""
    again, found = Match(match.setup), list[View]()
    while view := again.decision:
        if len(view.actions) >= 3:
            found.append(view)
        again.answer(view.actions[0])
    return found


def judged(view: View, gap: float, chosen: int = 0) -> Judged:
    """A decision whose first action is the best by this gap."""
    options = tuple(
        [Option(action, 0.7 - gap * bool(at), 3.0, 0.01) for at, action in enumerate(view.actions)]
    )
    about = view.number, view.seat, view.round, "play", view.actions[chosen]
    return Judged(*about, options, 0.0, 0.0, gap, "", situation_of(view))


def review(*decisions: Judged) -> Review:
    return Review("some-match", "lama", "made up", decisions, ())


def test_candidates_are_missed_actions_first_and_then_the_largest_gaps(match: Match) -> None:
    one, two, three, four, *_ = views(match)
    found = candidates(
        review(judged(one, 0.2), judged(two, 0.0499), judged(three, 0.051, 1), judged(four, 0.3))
    )
    assert [each.number for each in found] == [three.number, four.number, one.number]
    many = candidates(review(*[judged(view, 0.2) for view in views(match)[:8]]))
    assert len(many) == 6


def behind(gaps: dict[int, float], apart: float = 0.0, doubt: float = 0.0) -> Evaluate:
    """Values by which the first of the places leads by the gap of its decision."""

    def evaluate(
        views: Sequence[View], places: Sequence[Sequence[int]], samples: int, seed: int
    ) -> list[tuple[Values, Values]]:
        found = []
        for view, some in zip(views, places, strict=True):
            scores = [0.6, *[0.6 - gaps[view.number] - 0.01 * n for n in range(len(some) - 1)]]
            none, errors = (0.0,) * len(some), (apart,) * len(some)
            doubts = (doubt,) * len(some)
            half = Values(samples, tuple(scores), none, none, errors, none, doubts)
            found.append((half, half))
        return found

    return evaluate


def test_only_the_values_from_other_states_count_and_a_match_has_two_puzzles(match: Match) -> None:
    some = views(match)[:4]
    made = review(*[judged(view, 0.3 - n / 100) for n, view in enumerate(some)])
    gaps = dict(zip([view.number for view in some], (0.04, 0.06, 0.07, 0.08), strict=True))

    found = puzzles_of(match, made, behind(gaps))

    assert [each.number for each in found] == [some[1].number, some[2].number]
    best, second, *_ = found[0].alternatives
    assert (best.action, best.behind, best.error) == (some[1].actions[0], 0.0, 0.0)
    assert second.behind == pytest.approx(0.06)
    assert puzzles_of(match, review(), behind(gaps)) == []


@pytest.mark.parametrize("doubt", [0.0, 1e-4])
def test_the_error_is_a_95_percent_interval_of_the_difference(match: Match, doubt: float) -> None:
    (view, *_) = views(match)
    error = INTERVAL * math.sqrt(0.01**2 / 2 + doubt)
    made = review(judged(view, 0.3))

    (puzzle,) = puzzles_of(match, made, behind({view.number: 4.01 * error}, 0.01, doubt))
    assert puzzle.alternatives[1].error == pytest.approx(error)
    assert puzzles_of(match, made, behind({view.number: 3.99 * error}, 0.01, doubt)) == []
