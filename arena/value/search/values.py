"""The value of every legal action in many decisions, evaluated together.

For each decision, states are drawn in which the deciding seat would see just what it saw; every
legal action is tried in the same ones (common random numbers: the same cards and dice come), and
the round is played on by a policy. Nothing of what was hidden from the seat is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.batch import Games, batch_class
from arena.batch.arrays import Index, Int
from arena.batch.packed import PackedViews
from arena.batch.seen import Seen
from arena.rules.view import View
from arena.value.network import Floats
from arena.value.policy import Policy, house_policy
from arena.value.search.ends import EndValues
from arena.value.search.tries import tried

TOGETHER = 32_768  # games played on at once


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


def action_values(
    decisions: Seen | Sequence[View],
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
    if samples < 2:
        raise ValueError(f"values with errors need at least 2 samples, not {samples}")
    seen = decisions if isinstance(decisions, Seen) else PackedViews(decisions)
    rng = np.random.default_rng(seed)
    games = batch_class(seen.game).resumed(seen, rng.bytes(16))
    ends = EndValues(seen.game, seen.seats, seen.options)
    chosen = policy or house_policy("sharp")
    values: list[ActionValues] = []
    for part in _parts(games, samples):
        values += _evaluated(games.select(part), samples, ends, chosen, rng)
    return values


def _parts(games: Games, samples: int) -> list[Index]:
    """Decisions (M,) that are evaluated together: not too many games at once."""
    portions = games.legal.sum(axis=1).cumsum() * samples // TOGETHER
    return np.split(np.arange(len(games)), np.flatnonzero(np.diff(portions)) + 1)


def _evaluated(
    games: Games, samples: int, ends: EndValues, policy: Policy, rng: np.random.Generator
) -> list[ActionValues]:
    states = games.select(np.repeat(np.arange(len(games)), samples))
    states.determinize()
    which, actions = np.nonzero(games.legal)
    # (P, S): for each legal action of each decision, all states of the decision.
    among = (which * samples)[:, None] + np.arange(samples)
    score, points = tried(states, among.ravel(), np.repeat(actions, samples), ends, policy, rng)
    score, points = score.reshape(among.shape), points.reshape(among.shape)
    starts = np.flatnonzero(np.diff(which)) + 1
    by_decision = [np.split(array, starts) for array in (actions, score, points)]
    return [_summary(*parts) for parts in zip(*by_decision, strict=True)]


def _summary(actions: Int, score: Floats, points: Floats) -> ActionValues:
    """From what every action (A,) brought in every state (A, S)."""
    means = score.mean(axis=1)
    behind = score[means.argmax()] - score
    return ActionValues(
        tuple(actions.tolist()),
        means,
        _error(score),
        points.mean(axis=1),
        _error(points),
        behind.mean(axis=1),
        _error(behind),
        score.shape[1],
    )


def _error(values: Floats) -> Floats:
    """Standard errors of means over the last axis."""
    error: Floats = values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1])
    return error
