"""The number of states for each decision of a review."""

import random
import statistics
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from arena.games.rules import View, game_class
from arena.value.review.losses import Halves, loss_of
from arena.value.review.model import THRESHOLDS, verdict
from arena.value.review.sampling import FIRST, MARKED, ActionTally, Sampled, look, sampled
from arena.value.review.values import Values

LEAST = min(least for least, _ in THRESHOLDS)
SPREAD = 0.18  # of the difference between two actions in one state, about that of LAMA


# The stopping rule


@pytest.mark.parametrize(
    ("gain", "error", "states", "known"),
    [
        (-0.10, 0.03, 16, True),  # the other action is surely worse
        (0.00, 0.005, 16, True),  # hardly better, if at all
        (LEAST, 0.002, 4096, False),  # at a threshold
        (0.00, 0.03, 16, False),  # it may be much better
        (0.14, 0.01, MARKED, True),
        (0.14, 0.01, 16, False),  # a blunder, but after few states
        (0.105, 0.01, 4096, False),  # a blunder or a mistake
    ],
)
def test_a_loss_is_known_where_its_name_is(
    gain: float, error: float, states: int, known: bool
) -> None:
    assert look([0.0, gain], [0.0, error], states).known == known


def test_actions_that_cannot_matter_are_dropped_and_the_chosen_one_stays() -> None:
    seen = look([-0.2, 0.0, 0.07, 0.05, LEAST / 2], [0.02, 0.0, 0.02, 0.02, 0.001], 64)
    assert seen.left == (1, 2, 3)
    assert seen.rivals == (2, 3)


def test_a_dropped_action_is_as_far_from_the_chosen_one_as_in_the_states_of_both() -> None:
    tally = ActionTally(2, chosen=1)
    tally.add([1, 0], Values(10, (0.5, 0.7), (3.0, 1.0), (0.1, 0.1), (0.0, 0.2), (0, 0), (0, 0)))
    tally.add([1], Values(30, (0.3,), (5.0,), (0.1,), (0.0,), (0,), (0,)))
    found = tally.values()
    assert found.states == 40
    assert found.scores == pytest.approx((0.55, 0.35))
    assert found.points == pytest.approx((2.5, 4.5))
    assert found.apart == pytest.approx((0.2, 0.0))
    chosen = (0.1**2 * 10**2 + 0.1**2 * 30**2) ** 0.5 / 40
    assert found.errors == pytest.approx(((0.25 * 0.1**2 + 0.75 * 0.2**2) ** 0.5, chosen))


@pytest.mark.parametrize(("scores", "then", "limit"), [((0.5, 0.1), 0.1, 0), ((0.5, 0.9), 0.9, 1)])
def test_a_dropped_action_has_a_score_in_the_range_of_scores(
    scores: tuple[float, float], then: float, limit: float
) -> None:
    tally = ActionTally(2, chosen=1)
    few = (0.0, 0.0)
    tally.add([1, 0], Values(10, scores, few, few, few, few, few))
    tally.add([1], Values(30, (then,), few, few, few, few, few))
    assert tally.values().scores[0] == limit


# With simulated values, whose true means are known


class Simulated:
    """Decisions whose actions differ in every state by a mean and noise."""

    def __init__(self, gains: Sequence[Sequence[float]], seed: int) -> None:
        """`gains`: by decision, the gain of each action over the first one."""
        view = game_class("lama")(2, bytes(16)).view("m", 1)
        width = len(gains[0])
        self.views = [
            view._replace(number=number, actions=("quit",) * width) for number in range(len(gains))
        ]
        self.gains, self.rng = gains, np.random.default_rng(seed)
        self.trials, self.states = 0, Counter[int]()

    def __call__(
        self, views: Sequence[View], places: Sequence[Sequence[int]], samples: int, seed: int
    ) -> list[Halves]:
        found = []
        for view, some in zip(views, places, strict=True):
            self.states[view.number] += samples
            self.trials += 2 * samples * len(some)
            gains = [self.gains[view.number][place] for place in some]
            one, other = (self.values(gains, samples) for _ in range(2))
            found.append((one, other))
        return found

    def values(self, gains: Sequence[float], samples: int) -> Values:
        drawn = self.rng.normal(0.5, SPREAD / 2**0.5, (len(gains), samples))
        drawn += np.array(gains)[:, None]
        error = drawn.std(axis=1, ddof=1) / samples**0.5
        apart = (drawn - drawn[0]).std(axis=1, ddof=1) / samples**0.5
        zeros, scores = (0.0,) * len(gains), tuple(drawn.mean(axis=1).tolist())
        return Values(samples, scores, zeros, tuple(error), tuple(apart), zeros, zeros)

    def sampled(self, samples: int = 64) -> list[Sampled]:
        return sampled([(view, 0) for view in self.views], self, samples, seed=1)


def match(seed: int, decisions: int = 110) -> list[tuple[float, float, float]]:
    """As in L.A.M.A., most choices are the best ones by far."""
    rng = random.Random(seed)
    return [
        (0.0, rng.expovariate(20) if rng.random() < 0.14 else -rng.expovariate(12), -0.2)
        for _ in range(decisions)
    ]


def test_no_more_is_tried_than_the_budget_and_most_of_it_where_it_matters() -> None:
    simulated = Simulated([(0.0, LEAST), *[(0.0, -0.3)] * 40], seed=1)
    simulated.sampled()
    assert simulated.trials <= 2 * 64 * 2 * 41
    assert simulated.states[1] == FIRST
    assert simulated.states[0] > 1000


def test_fewer_samples_than_a_first_round_are_spread_evenly() -> None:
    simulated = Simulated(match(1), seed=1)
    simulated.sampled(samples=6)
    assert set(simulated.states.values()) == {6}


def marks(simulated: Simulated) -> list[str]:
    losses = [loss_of(each.halves, 0, each.rivals) for each in simulated.sampled()]
    return [verdict(each.loss, each.error) for each in losses]


def evenly(simulated: Simulated) -> list[str]:
    """The verdicts with the same number of states for all decisions."""
    every = [range(len(view.actions)) for view in simulated.views]
    losses = [loss_of(each, 0) for each in simulated(simulated.views, every, 64, 1)]
    return [verdict(each.loss, each.error) for each in losses]


@pytest.mark.long
def test_marks_agree_more_than_with_equally_many_states_for_all() -> None:
    def agreement(of: Callable[[Simulated], list[str]]) -> float:
        reviews = [
            [mark for number in range(3) for mark in of(Simulated(match(number), seed))]
            for seed in range(5)
        ]
        marked = [each for each in zip(*reviews, strict=True) if any(each)]
        return sum(len(set(each)) == 1 for each in marked) / len(marked)

    assert agreement(marks) > agreement(evenly) + 0.1


@pytest.mark.long
def test_losses_have_hardly_a_bias_and_less_than_with_equally_many_states() -> None:
    """Stopping at a known verdict favours losses far from thresholds. Taking an action as best that
    is worse than the choice makes losses too small."""
    truth = [gains for number in range(8) for gains in match(number)]
    real = sum(max(gains) for gains in truth)
    every = [range(3)] * len(truth)

    def bias(of: Callable[[Simulated], float]) -> float:
        return statistics.fmean(of(Simulated(truth, seed)) for seed in range(3)) / real - 1

    def where_it_matters(simulated: Simulated) -> float:
        return sum(loss_of(each.halves, 0, each.rivals).loss for each in simulated.sampled())

    def evenly(simulated: Simulated) -> float:
        return sum(loss_of(each, 0).loss for each in simulated(simulated.views, every, 64, 1))

    assert abs(bias(where_it_matters)) < 0.08 < abs(bias(evenly))


def test_a_stated_error_is_that_of_the_loss() -> None:
    truth = [(0.0, 0.01 + 0.0005 * number, -0.2) for number in range(300)]
    apart = [
        (loss.loss - gain) / loss.error
        for (_, gain, _), each in zip(truth, Simulated(truth, 3).sampled(), strict=True)
        if (loss := loss_of(each.halves, 0, each.rivals)).error
    ]
    assert len(apart) > 250
    assert 0.8 < statistics.fmean(z * z for z in apart) ** 0.5 < 1.3
