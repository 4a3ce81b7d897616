"""Policy nets: what to choose, from what a seat knows."""

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
    """A net that gives every action a logit: the higher, the likelier."""

    network: Network

    def logits(self, games: Games) -> Floats:
        """Of all actions (N, A); minus infinity for those that are not legal."""
        return np.where(games.legal, self.network(features(games)), -np.inf).astype(np.float32)

    def __call__(self, games: Games, rng: np.random.Generator) -> Int:
        """The likeliest action of each game: a Policy."""
        chosen: Int = self.logits(games).argmax(axis=1)
        return chosen

    def sampled(self, games: Games, rng: np.random.Generator) -> Int:
        """An action of each game, drawn as likely as the net says: a Policy."""
        return drawn(likelihoods(self.logits(games)), rng)

    @property
    def version(self) -> str:
        """The SHA-256 of the net."""
        return self.network.digest


def find(
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = catalog.NETS,
) -> PolicyNet | None:
    """The net for matches of a game; None if there is none that knows these options."""
    network = catalog.find(KIND, game, seats, options, folder)
    return PolicyNet(network) if network else None


def likelihoods(logits: Floats) -> Floats:
    """Softmax of each row (N, A); of a row without a finite logit, equal shares."""
    most = logits.max(axis=1, keepdims=True)
    odds = np.exp(logits - np.where(np.isfinite(most), most, 0))
    total = odds.sum(axis=1, keepdims=True)
    shares: Floats = np.where(total > 0, odds / np.maximum(total, 1e-30), 1 / logits.shape[1])
    return shares


def drawn(shares: Floats, rng: np.random.Generator) -> Int:
    """A column of each row (N, A), as likely as its share."""
    sums = shares.cumsum(axis=1)
    sums /= sums[:, -1:]
    at = rng.random((len(shares), 1), dtype=np.float32)
    # A column without a share is never the first whose sum lies above.
    chosen: Int = np.minimum((sums <= at).sum(axis=1), shares.shape[1] - 1)
    return chosen
