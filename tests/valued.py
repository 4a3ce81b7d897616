"""Values of actions by random play, for tests of reviews: simple and slow, with the real rules."""

import random
import statistics
from collections.abc import Sequence

from arena.games.rules import Game, View
from arena.value.review.values import Values


def by_random_play(
    views: Sequence[View], places: Sequence[Sequence[int]], samples: int, seed: int
) -> list[tuple[Values, Values]]:
    """Values each view separately, whatever its position."""
    return [
        (valued(view, some, samples, seed, "one"), valued(view, some, samples, seed, "other"))
        for view, some in zip(views, places, strict=True)
    ]


def valued(view: View, places: Sequence[int], samples: int, seed: int, half: str) -> Values:
    """Values of the actions; the fewest points at the end of the round win."""
    rng = random.Random(f"{seed} {view.number} {half}")
    states = view.sample_states(samples, rng)
    chances = [rng.random() for _ in states]
    by_action = [
        [played_out(*each, view.indices[place], view) for each in zip(states, chances, strict=True)]
        for place in places
    ]
    scores = tuple([statistics.fmean(score for score, _ in each) for each in by_action])
    points = tuple([statistics.fmean(added for _, added in each) for each in by_action])
    none = [(0.0, 0.0)] * samples
    errors = tuple([_error(each, none) for each in by_action])
    apart = tuple([_error(each, by_action[0]) for each in by_action])
    zeros = (0.0,) * len(places)
    return Values(samples, scores, points, errors, apart, zeros, zeros)


def _error(each: Sequence[tuple[float, float]], best: Sequence[tuple[float, float]]) -> float:
    differences = [one[0] - other[0] for one, other in zip(each, best, strict=True)]
    return float(statistics.stdev(differences) / len(differences) ** 0.5)


def played_out(state: Game, chance: float, index: int, view: View) -> tuple[float, float]:
    """Score and added points at the end of the round after this action of the seat."""
    game, rng = state.clone(), random.Random(chance)
    game.apply(index)
    while not game.finished and game.round == view.round:
        game.apply(rng.choice(game.legal_actions))
    own, others = game.points[view.seat], [p for s, p in enumerate(game.points) if s != view.seat]
    score = statistics.fmean((own < other) + (own == other) / 2 for other in others)
    return score, own - view.points[view.seat]
