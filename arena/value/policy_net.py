"""Policy models, which choose actions from the knowledge of a seat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Int
from arena.value import catalog
from arena.value.features import features
from arena.value.network import Floats, Network

KIND = "policy"


@dataclass(frozen=True)
class PolicyNet:
    """A model that gives every action a logit."""

    network: Network

    def logits(self, games: Games) -> Floats:
        """Return the logits of all actions (N, A), minus infinity for illegal ones."""
        return np.where(games.legal, self.network(features(games)), -np.inf).astype(np.float32)

    def __call__(self, games: Games, rng: np.random.Generator) -> Int:
        """Return the likeliest action of each game: a Policy."""
        chosen: Int = self.logits(games).argmax(axis=1)
        return chosen

    def sampled(self, games: Games, rng: np.random.Generator) -> Int:
        """Return an action of each game, drawn by the probabilities of the model: a Policy."""
        return drawn(likelihoods(self.logits(games)), rng)

    @property
    def version(self) -> str:
        """The SHA-256 of the network."""
        return self.network.digest


def find(
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = catalog.NETS,
) -> PolicyNet | None:
    """Return the model for matches of a game, or None if no model fits the options."""
    network = catalog.find(KIND, game, seats, options, folder)
    return PolicyNet(network) if network else None


def likelihoods(logits: Floats) -> Floats:
    """Return the softmax of each row (N, A), or equal shares for a row without a finite logit."""
    most = logits.max(axis=1, keepdims=True)
    odds = np.exp(logits - np.where(np.isfinite(most), most, 0))
    total = odds.sum(axis=1, keepdims=True)
    shares: Floats = np.where(total > 0, odds / np.maximum(total, 1e-30), 1 / logits.shape[1])
    return shares


def drawn(shares: Floats, rng: np.random.Generator) -> Int:
    """Draw a column of each row (N, A) by the shares."""
    sums = shares.cumsum(axis=1)
    sums /= sums[:, -1:]
    at = rng.random((len(shares), 1), dtype=np.float32)
    # A column with a share of 0 is never the first with a sum above `at`.
    chosen: Int = np.minimum((sums <= at).sum(axis=1), shares.shape[1] - 1)
    return chosen
