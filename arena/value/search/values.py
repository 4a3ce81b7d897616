"""The value of every legal action in many decisions, evaluated together.

For each decision, states are drawn in which the deciding seat would have the same view. Every legal
action is tried in the same states, with the same cards and dice (common random numbers). A policy
then plays the round on. Hands of players who have quit are weighted by their moves, and all other
hands are equally likely. Hidden information is not used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.games.batch import Games, batch_class
from arena.games.batch.arrays import Bool, Index
from arena.games.batch.errors import BadBatch
from arena.games.decisions import Decisions
from arena.games.rules.view import View
from arena.value.network import Floats
from arena.value.policy_net import find
from arena.value.search.inference import Inference, Knowledge, likely_states
from arena.value.search.rollouts import EndValues, RoundEnds, tried
from arena.value.strategies import Policy, house_policy

Doubles: TypeAlias = npt.NDArray[np.float64]
Keys: TypeAlias = npt.NDArray[np.int64]  # the cell of each end; -1 if the match is over

TOGETHER = 32_768  # games played on at once
STATES_OF_HAND = 4  # states for each candidate hand, since inference is slower than playing on
FEWEST_HANDS = 32  # candidate hands of quitters
MOVES = 2  # number of last moves used for each quitter
CELL: Final = 5  # width of a cell, in points of each seat
MOST_CELLS: Final = 64  # number of cells along the points of a seat


@dataclass(frozen=True)
class ActionValues:
    """The values of the legal actions (A,) of one decision, ascending by index."""

    actions: tuple[int, ...]  # indices in the notation of the game
    score: Floats  # (A,): expected mean pair score against the others, in [0, 1]
    score_error: Floats  # (A,): its standard error
    points: Floats  # (A,): expected change of the seat's points until the end of the round;
    # negative if it returns more than it takes
    points_error: Floats  # (A,): its standard error
    loss: Floats  # (A,): score of the best action less this one's
    loss_error: Floats  # (A,): its standard error, from paired samples
    samples: int  # number of states for each action

    @property
    def best(self) -> int:
        """The action with the highest score, the first one if equal."""
        return self.actions[int(self.score.argmax())]


@dataclass(frozen=True)
class Trials:
    """Actions of one decision (A,), and their results in every state (A, S)."""

    actions: tuple[int, ...]
    score: Floats
    points: Floats
    ends: Keys
    hands: Index  # (S,): ascending; states with equal numbers share the hands of quitters
    error: float  # root mean square error of the value of an end

    def doubts(self, reference: int) -> tuple[Doubles, Doubles]:
        """Return the variances of mean scores (A,) and of differences (A,) from end values.
        Differences are to action number `reference`; see `doubts`."""
        own, apart = doubts(self.ends, reference)
        return self.error**2 * own, self.error**2 * apart


def action_values(
    decisions: Decisions | Sequence[View],
    samples: int = 64,
    seed: int = 0,
    policy: Policy | None = None,
) -> list[ActionValues]:
    """Return the values of all legal actions, for each decision in order.

    `decisions` are `arena.sdk.Decisions` or views, with the same game, options and number of seats.
    `samples` is the number of states drawn for each, at least 2. `policy` plays all seats on, by
    default like `sharp`. Equal arguments give equal values.

    Raises BadBatch for no views or views of different games, options or numbers of seats,
    UnknownGame for a game without a batch class, BadSeats, BadOption, BadPacking; ValueError for
    fewer than 2 samples.
    """
    return list(map(_summary, trials(decisions, samples, seed, policy)))


def trials(
    decisions: Decisions | Sequence[View],
    samples: int,
    seed: int,
    policy: Policy | None = None,
    among: Sequence[Sequence[int]] | None = None,
) -> list[Trials]:
    """Return the single results behind `action_values`. `among` limits them to these legal actions,
    given by index for each decision."""
    if samples < 2:
        raise ValueError(f"values with errors need at least 2 samples, not {samples}")
    seen = decisions if isinstance(decisions, Decisions) else batch_of(decisions)
    rng = np.random.default_rng(seed)
    games = batch_class(seen.game).resumed(seen, rng.bytes(16), moves=True)
    net = find(seen.game, seen.seats, seen.options)
    hands = max(FEWEST_HANDS, samples // STATES_OF_HAND)
    inference = Inference(net, hands, only_quitters=True, moves=MOVES) if net else None
    ends = EndValues(seen.game, seen.seats, seen.options)
    chosen = policy or house_policy("sharp")
    wanted = games.legal if among is None else games.legal & _flags(among, games.legal.shape[1])
    found: list[Trials] = []
    for part in _parts(wanted, samples):
        found += _tried(games.select(part), wanted[part], samples, inference, ends, chosen, rng)
    return found


def batch_of(views: Sequence[View]) -> Decisions:
    """Pack views of one table. Raises BadPacking, or BadBatch without views or for several."""
    if len({(view.game, view.seats, tuple(sorted(view.options.items()))) for view in views}) != 1:
        raise BadBatch("The views must have the same game, number of seats and options.")
    return Decisions.of(views)


def _flags(among: Sequence[Sequence[int]], width: int) -> Bool:
    """Return whether each action is in `among` (N, A)."""
    named = np.zeros((len(among), width), np.bool_)
    for row, actions in zip(named, among, strict=True):
        row[list(actions)] = True
    return named


def _parts(wanted: Bool, samples: int) -> list[Index]:
    """Split decisions into parts (M,) that are evaluated together, to limit the memory."""
    portions = wanted.sum(axis=1).cumsum() * samples // TOGETHER
    return np.split(np.arange(len(wanted)), np.flatnonzero(np.diff(portions)) + 1)


def _tried(
    games: Games,
    wanted: Bool,
    samples: int,
    inference: Knowledge | None,
    ends: EndValues,
    policy: Policy,
    rng: np.random.Generator,
) -> list[Trials]:
    states, hands = likely_states(games, samples, inference, rng)
    which, actions = np.nonzero(wanted)
    # (P, S): for each wanted action of each decision, all states of the decision.
    among = (which * samples)[:, None] + np.arange(samples)
    score, points, over = tried(
        states, among.ravel(), np.repeat(actions, samples), ends, policy, rng
    )
    arrays = (actions, *[array.reshape(among.shape) for array in (score, points, keys_of(over))])
    starts = np.flatnonzero(np.diff(which)) + 1
    by_decision = zip(*[np.split(array, starts) for array in arrays], hands, strict=True)
    return [
        Trials(tuple(tried_actions.tolist()), score, points, keys, own, ends.error)
        for tried_actions, score, points, keys, own in by_decision
    ]


def _summary(found: Trials) -> ActionValues:
    score, points = found.score, found.points
    means = score.mean(axis=1)
    behind = score[means.argmax()] - score
    return ActionValues(
        found.actions,
        means,
        error_of_mean(score, found.hands),
        points.mean(axis=1),
        error_of_mean(points, found.hands),
        behind.mean(axis=1),
        error_of_mean(behind, found.hands),
        score.shape[1],
    )


def error_of_mean(values: Floats, hands: Index) -> Floats:
    """Return standard errors of means over the last axis (..., S). Values with the same number in
    `hands` (S,), which ascends, are dependent."""
    sums, count = values - values.mean(axis=-1, keepdims=True), values.shape[-1]
    changes = (hands[1:] != hands[:-1]).nonzero()[0] + 1
    if 0 < len(changes) < count - 1:  # with a single hand, treat its states as independent
        sums, count = np.add.reduceat(sums, np.append(0, changes), axis=-1), len(changes) + 1
    correction = count / (count - 1)
    error: Floats = np.sqrt((sums**2).sum(axis=-1) * correction) / values.shape[-1]
    return error


def keys_of(ends: RoundEnds) -> Keys:
    """Return the cells of ends (N,)."""
    cells = np.clip(ends.points.astype(np.int64) // CELL, 0, MOST_CELLS - 1)
    keys: Keys = cells @ MOST_CELLS ** np.arange(cells.shape[1], dtype=np.int64)
    keys[ends.finished] = -1
    return keys


def doubts(ends: Keys, reference: int) -> tuple[Doubles, Doubles]:
    """Return Σ p² (A,) and Σ (p - q)² (A,) for actions with these ends (A, S) in the same states.

    They are the effect of errors in end values on mean scores, and on differences of mean scores. A
    model has almost the same error at two ends of a round with nearly the same points. More samples
    do not average it away. So ends are grouped into cells of a few points for each seat. The model
    is assumed to have one error within a cell, and independent errors in different cells. With
    shares p of the ends in each cell, a mean score has the variance r² Σ p², where r is the root
    mean square error of the model. The difference of two actions has r² Σ (p - q)². Scores of
    finished matches are exact.

    q are the shares of action number `reference`. The estimates use only pairs of different states,
    since ends of the same state are not independent. They are unbiased and can be slightly below 0.
    """
    actions, states = ends.shape
    kinds, cells = np.unique(ends, return_inverse=True)
    numbers = cells.reshape(ends.shape) + np.arange(actions)[:, None] * len(kinds)
    counts = np.bincount(numbers.ravel(), minlength=actions * len(kinds)).reshape(actions, -1)
    counts = counts * (kinds >= 0.0)
    own = (counts**2).sum(axis=1) - (ends >= 0).sum(axis=1)
    both = counts @ counts[reference] - ((ends == ends[reference]) & (ends >= 0)).sum(axis=1)
    pairs = states * (states - 1)
    return own / pairs, (own + own[reference] - 2 * both) / pairs
