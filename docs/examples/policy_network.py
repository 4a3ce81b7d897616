"""The network of policy_bot.py and train_policy.py, in NumPy."""

import os
from pathlib import Path

import numpy as np

FILE = Path(os.environ.get("POLICY", Path(__file__).with_name("policy.npz")))


class Network:
    """A network with two hidden layers. It maps observations to action scores and a value."""

    def __init__(self, weights, game, seats):
        self.weights, self.game, self.seats = weights, str(game), int(seats)

    @classmethod
    def begin(cls, game, seats, seen, actions, rng, width=96):
        """Return random weights. The inputs are scaled by the observations `seen` (N, columns)."""
        sizes = [(seen.shape[1], width), (width, width), (width, actions), (width, 1)]
        weights = {"mean": seen.mean(axis=0), "scale": seen.std(axis=0) + 0.1}
        for layer, (inputs, outputs) in enumerate(sizes):
            spread = np.sqrt(2 / inputs) if layer < 2 else 0.01
            weights[f"w{layer}"] = rng.normal(0, spread, (inputs, outputs))
            weights[f"b{layer}"] = np.zeros(outputs)
        return cls({name: array.astype(np.float32) for name, array in weights.items()}, game, seats)

    @classmethod
    def load(cls, file):
        with np.load(file) as saved:
            arrays = dict(saved)
        return cls(arrays, arrays.pop("game"), arrays.pop("seats"))

    def save(self, file):
        np.savez(file, game=self.game, seats=self.seats, **self.weights)

    def layers(self, seen):
        """Return scaled inputs, both hidden layers, scores (N, actions) and values (N,)."""
        w = self.weights
        inputs = (seen - w["mean"]) / w["scale"]
        first = np.maximum(inputs @ w["w0"] + w["b0"], 0)
        second = np.maximum(first @ w["w1"] + w["b1"], 0)
        return inputs, first, second, second @ w["w2"] + w["b2"], (second @ w["w3"] + w["b3"])[:, 0]
