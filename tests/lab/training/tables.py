"""Tables at which a policy learns, with values of its decisions from rollouts."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arena.games.batch import Games, batch_class
from arena.games.batch.arrays import Bool, Index, Int
from arena.value.catalog import NETS
from arena.value.network import Floats, Layer, Network
from arena.value.policy_net import drawn, features, likelihoods
from arena.value.search.rollouts import EndValues, play_round
from arena.value.strategies import STYLES, choose, deciding

HOUSE_SHARE = 0.35  # of seats
HOUSE = {"careful": 0.25, "five": 0.1, "timid": 0.05, "sharp": 0.6}
LEARNER, RIVAL = -1, "sharp"
RANDOM = 0.08  # share of random actions before there is a network, for variety


class Judged(NamedTuple):
    """Decisions of the learner with a choice, and the values of their actions."""

    seen: Floats  # (N, inputs)
    legal: Bool  # (N, A)
    worth: Floats  # (N, A): mean pair scores minus their mean over legal actions

    def rows(self, numbers: Index) -> Floats:
        """Return the inputs of some decisions (M, inputs)."""
        return self.seen[numbers]


class Table:
    """Many matches at one number of seats, between the learner and house bots."""

    def __init__(
        self, game: str, seats: int, count: int, rng: np.random.Generator, folder: Path = NETS
    ) -> None:
        self.games: Games = batch_class(game)(count, seats, rng.bytes(16))
        self.values = EndValues(game, seats, {}, folder)
        self.styles = np.zeros((count, seats), np.int8)
        self.rng = rng
        self._seat(np.arange(count))

    def step(self, layers: Sequence[Layer]) -> Judged:
        """Play one decision of each match, and return those of the learner with their values.
        Without layers it plays as `sharp` does."""
        games = self.games
        seen, legal = features(games), games.legal
        learns = deciding(games, self.styles) == LEARNER
        among = np.flatnonzero(learns & (legal.sum(axis=1) > 1))
        judged = Judged(seen[among], legal[among], self.judge(among, layers))
        if layers:
            logits = np.where(legal, forward(layers, seen), -np.inf).astype(np.float32)
            self.advance(drawn(likelihoods(logits), self.rng))
        else:
            self.advance(self.house())
        return judged

    def house(self) -> Int:
        """Return the actions of `sharp` (N,), a few of them replaced by random ones."""
        games, sharp = self.games, np.full(len(self.games), STYLES.index(RIVAL), np.int8)
        at_random = self.rng.random(len(games)) < RANDOM
        chosen = choose(games, sharp, self.rng)
        return np.where(at_random, games.random_actions(self.rng), chosen)

    def advance(self, learnt: Int) -> None:
        """Play one decision of each match: the learner's actions (N,), or those of house bots."""
        games = self.games
        styles = deciding(games, self.styles)
        house = choose(games, np.maximum(styles, 0), self.rng)
        games.step(np.where(styles == LEARNER, learnt, house))
        if games.finished.any():
            self._seat(np.flatnonzero(games.finished))
            games.restart()

    def judge(self, among: Index, layers: Sequence[Layer]) -> Floats:
        """Return the values (M, A) of all actions of these games to the deciding seats."""
        legal = self.games.legal[among]
        which, actions = np.nonzero(legal)
        games, styles = self.games.select(among[which]), self.styles[among[which]]
        if not layers:
            styles = np.where(styles == LEARNER, np.int8(STYLES.index(RIVAL)), styles)
        rounds, seats = games.round.copy(), games.seat.copy()
        games.step(actions)
        ends = play_round(games, rounds, lambda some, of: self._chosen(some, styles[of], layers))
        made = np.zeros(legal.shape, np.float32)
        made[which, actions] = self.values.of_seats(ends, seats)
        mean = made.sum(axis=1, keepdims=True) / legal.sum(axis=1, keepdims=True)
        return np.where(legal, made - mean, 0).astype(np.float32)

    def _chosen(self, games: Games, styles: Int, layers: Sequence[Layer]) -> Int:
        """Return the actions of the deciding seats; the learner takes the most likely one."""
        now = deciding(games, styles)
        chosen = choose(games, np.maximum(now, 0), self.rng)
        learns = np.flatnonzero(now == LEARNER)
        if len(learns):
            own = games.select(learns)
            logits = np.where(own.legal, forward(layers, features(own)), -np.inf)
            chosen[learns] = logits.argmax(axis=1)
        return chosen

    def _seat(self, matches: Index) -> None:
        """Draw the seats of new matches, with the learner at least once."""
        shape = (len(matches), self.games.seats)
        house = np.array([STYLES.index(name) for name in HOUSE], np.int8)
        styles = house[self.rng.choice(len(house), shape, p=list(HOUSE.values()))]
        styles[self.rng.random(shape) >= HOUSE_SHARE] = LEARNER
        sure = self.rng.integers(self.games.seats, size=len(matches))
        styles[np.arange(len(matches)), sure] = LEARNER
        self.styles[matches] = styles


def joined(parts: Sequence[Judged]) -> Judged:
    """Concatenate several parts."""
    return Judged(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def forward(layers: Sequence[Layer], rows: Floats) -> Floats:
    """Return the outputs of layers (N, outputs)."""
    return Network(tuple(layers))(rows)
