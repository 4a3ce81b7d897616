"""The value of every legal action in many decisions, evaluated together.

For each decision, states are drawn in which the deciding seat would see just what it saw; every
legal action is tried in the same ones (common random numbers: the same cards and dice come), and
the round is played on by a policy. Hands of players who have quit are drawn as likely as their
moves make them; all others are equally likely. Nothing that was hidden from the seat is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.games.batch import Games, batch_class
from arena.games.batch.arrays import Bool, Index
from arena.games.batch.decision_columns import DecisionColumns
from arena.games.batch.packed import PackedViews
from arena.games.rules.view import View
from arena.value.network import Floats
from arena.value.policy import Policy, house_policy
from arena.value.policy_net import find
from arena.value.search.doubts import Doubles, Keys, doubts, keys_of
from arena.value.search.ends import EndValues
from arena.value.search.inference import Inference, Knowledge, likely_states
from arena.value.search.tries import tried

TOGETHER = 32_768  # games played on at once
STATES_OF_HAND = 4  # that share the hands of quitters: to judge a hand takes about as long as two
FEWEST_HANDS = 32  # among which those of quitters are drawn
MOVES = 2  # of each quitter that are looked at, the last ones


@dataclass(frozen=True)
class ActionValues:
    """The legal actions of one decision (A,), ascending by index, and what each is worth."""

    actions: tuple[int, ...]  # indices in the notation of the game
    score: Floats  # (A,): expected mean pair score against the others, in [0, 1]
    score_error: Floats  # (A,): its standard error
    points: Floats  # (A,): expected points that the seat takes until the end of the round, less
    # what it returns; negative where it returns more
    points_error: Floats  # (A,): its standard error
    loss: Floats  # (A,): by how much the score is below that of the best action; 0 for the best
    loss_error: Floats  # (A,): standard error of the difference, from the samples that both share
    samples: int  # states that each action was tried in

    @property
    def best(self) -> int:
        """The action with the highest score, the first of equals."""
        return self.actions[int(self.score.argmax())]


@dataclass(frozen=True)
class Trials:
    """Actions of one decision (A,), and what each brought in every state (A, S)."""

    actions: tuple[int, ...]
    score: Floats
    points: Floats
    ends: Keys
    hands: Index  # (S,): ascending; states with the same number share the hands of quitters
    error: float  # root mean square error of the value of an end

    def doubts(self, reference: int) -> tuple[Doubles, Doubles]:
        """The variances that the error of end values adds to mean scores (A,), and to their
        differences from that of action number `reference` (A,); see `doubts`."""
        own, apart = doubts(self.ends, reference)
        return self.error**2 * own, self.error**2 * apart


def action_values(
    decisions: DecisionColumns | Sequence[View],
    samples: int = 64,
    seed: int = 0,
    policy: Policy | None = None,
) -> list[ActionValues]:
    """What every legal action is worth, for each decision in order.

    `decisions` are of one game at one number of seats with the same options: `arena.sdk.Decisions`
    or views. `samples`: states drawn for each, at least 2. `policy` plays all seats on; the one
    that comes with the game, if it is not given. Equal arguments give equal values.

    Raises BadBatch for no views or views of different tables, UnknownGame for a game that has no
    batch class, BadSeats, BadOption, BadPacking; ValueError for fewer than 2 samples.
    """
    return list(map(_summary, trials(decisions, samples, seed, policy)))


def trials(
    decisions: DecisionColumns | Sequence[View],
    samples: int,
    seed: int,
    policy: Policy | None = None,
    among: Sequence[Sequence[int]] | None = None,
) -> list[Trials]:
    """The single results behind `action_values`; of the legal actions `among` alone, by their
    indices for each decision, if they are given."""
    if samples < 2:
        raise ValueError(f"values with errors need at least 2 samples, not {samples}")
    seen = decisions if isinstance(decisions, DecisionColumns) else PackedViews(decisions)
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


def _flags(among: Sequence[Sequence[int]], width: int) -> Bool:
    """(N, A): which actions are named."""
    named = np.zeros((len(among), width), np.bool_)
    for row, actions in zip(named, among, strict=True):
        row[list(actions)] = True
    return named


def _parts(wanted: Bool, samples: int) -> list[Index]:
    """Decisions (M,) that are evaluated together: not too many games at once."""
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
    """Standard errors of means over the last axis (..., S), of which those with the same of the
    ascending numbers `hands` (S,) depend on each other."""
    starts = np.append(0, np.flatnonzero(np.diff(hands)) + 1)
    if len(starts) == 1:  # what other hands bring is unknown: as if these were states
        starts = np.arange(values.shape[-1])
    apart = values - values.mean(axis=-1, keepdims=True)
    sums = np.add.reduceat(apart, starts, axis=-1)
    correction = len(starts) / (len(starts) - 1)
    error: Floats = np.sqrt((sums**2).sum(axis=-1) * correction) / values.shape[-1]
    return error
