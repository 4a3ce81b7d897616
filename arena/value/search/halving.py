"""Sequential halving: finds the best action in many decisions.

In each stage all remaining actions are tried in the same states, and the worse half is dropped. So
bad actions take few rounds, and most rounds compare the good ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arena.games.batch import Games
from arena.games.batch.arrays import Bool, Index, Int
from arena.games.batch.shedding import SheddingGames
from arena.value.network import Floats
from arena.value.policy_net import likelihoods
from arena.value.search.inference import Hands, Knowledge
from arena.value.search.rollouts import SeatValues, tried
from arena.value.strategies import Policy

Doubles: TypeAlias = npt.NDArray[np.float64]

UNLIKELY = 0.01  # actions with a lower probability by `logits` are not tried
INFERRING = 0.4  # largest share of the time for inference
TOGETHER = 8192  # rounds played on at once


@dataclass(frozen=True)
class Search:
    """Tries actions in states that the deciding seats cannot distinguish from the real ones."""

    logits: Callable[[Games], Floats]  # (N, A): prior logits of actions, without search
    player: Policy  # plays the rounds on, in all seats
    values: SeatValues
    rounds: int  # played on for a decision
    seconds: float = float("inf")  # time limit for starting rounds, for all decisions together
    inference: Knowledge | None = None  # of hands from moves; without it all are equally likely

    def best(self, games: Games, rng: np.random.Generator) -> Int:
        """Return the best action found in each game (N,), given as its deciding seat may see it.
        Equal games, budgets and generators give equal actions, unless the time runs out."""
        until, logits = monotonic() + self.seconds, self.logits(games)
        best: Int = logits.argmax(axis=1)
        left: Bool = likelihoods(logits) >= UNLIKELY
        left[np.arange(len(left)), best] = True
        several = np.flatnonzero(left.sum(axis=1) > 1)
        if len(several):
            means = self._tried(games.select(several), left[several], until, rng)
            # Without time to try anything, the best logit decides.
            some = means.max(axis=1) >= 0
            best[several[some]] = means[some].argmax(axis=1)
        return best

    def _tried(self, games: Games, left: Bool, until: float, rng: np.random.Generator) -> Doubles:
        """Return the mean score of the actions in `left` (N, A), -1 for dropped or untried ones."""
        stages = np.ceil(np.log2(left.sum(axis=1))).astype(np.intp)
        tries = Tries(np.zeros(left.shape), np.zeros(left.shape))
        hands = self._inferred(games, until, rng)
        games.moves = None  # not needed for playing on
        while len(among := np.flatnonzero(left.sum(axis=1) > 1)) and monotonic() < until:
            actions = left[among].sum(axis=1)
            states = np.maximum(1, self.rounds // (stages[among] * actions))
            for some in _portions(states * actions):
                if monotonic() < until:
                    self._try(games, hands, left, among[some], states[some], tries, rng)
            left[among] = tries.better_half(among, left[among])
        return np.where(left & (tries.counts > 0), tries.means(), -1.0)

    def _inferred(self, games: Games, until: float, rng: np.random.Generator) -> Hands | None:
        """Infer likely hands within a share of the time."""
        if self.inference is None:
            return None
        now = monotonic()
        return self.inference.hands(games, rng, now + INFERRING * (until - now))

    def _try(
        self,
        games: Games,
        hands: Hands | None,
        left: Bool,
        among: Index,
        states: Int,
        tries: Tries,
        rng: np.random.Generator,
    ) -> None:
        """Try the actions in `left` (N, A) of games `among` (M,), each in `states` (M,) states."""
        whose = np.repeat(among, states)
        drawn = games.select(whose)
        if hands and isinstance(drawn, SheddingGames):
            drawn.suppose(hands.drawn(among, states, rng))
        else:
            drawn.determinize()
        games.begun = drawn.begun  # the next states are others
        which, actions = np.nonzero(left[whose])
        scores, _, _ = tried(drawn, which, actions, self.values, self.player, rng)
        tries.add(whose[which], actions, scores)


@dataclass
class Tries:
    """Scores of actions (N, A), summed over the states in which they were tried."""

    sums: Doubles
    counts: Doubles

    def add(self, games: Index, actions: Int, scores: Floats) -> None:
        """Add the scores of tries (M,) of actions in games."""
        width = self.sums.shape[1]
        cells, size = games * width + actions, self.sums.size
        self.sums += np.bincount(cells, scores, size).reshape(self.sums.shape)
        self.counts += np.bincount(cells, minlength=size).reshape(self.sums.shape)

    def means(self) -> Doubles:
        """Return the mean scores (N, A), 0 for untried actions."""
        means: Doubles = self.sums / np.maximum(self.counts, 1)
        return means

    def better_half(self, among: Index, left: Bool) -> Bool:
        """Return the better half (M, A) of the actions in `left` (M, A) of some games (M,)."""
        order = np.argsort(np.where(left, -self.means()[among], np.inf), axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(left.shape[1])[None], axis=1)
        keep: Bool = ranks < (left.sum(axis=1, keepdims=True) + 1) // 2
        return keep


def _portions(rounds: Int) -> Iterator[Index]:
    """Yield portions of decisions (M,) to be played on together, given their rounds (N,)."""
    portions = rounds.cumsum() // TOGETHER
    yield from np.split(np.arange(len(rounds)), np.flatnonzero(np.diff(portions)) + 1)
