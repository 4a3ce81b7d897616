"""Fit networks with Adam on minibatches and a cosine learning rate."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from arena.games.batch.arrays import Index
from arena.value.network import Floats, Layer

BETA1, BETA2, TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)

# From outputs (N, outputs) and row numbers (N,) to the mean loss and its gradient.
Loss = Callable[[Floats, Index], tuple[float, Floats]]


@dataclass(frozen=True)
class Plan:
    """Duration and speed of a fit."""

    passes: float = 3.0  # over all rows
    rows: int = 1024  # in a minibatch
    rate: float = 2e-3  # initial learning rate


def new_layers(sizes: Sequence[int], rng: np.random.Generator) -> list[Layer]:
    """Return random layers from `sizes[0]` inputs to `sizes[-1]` outputs (He initialization)."""
    made = []
    for inputs, outputs in itertools.pairwise(sizes):
        weights = rng.normal(0, np.sqrt(2 / inputs), (inputs, outputs)).astype(np.float32)
        made.append((weights, np.zeros(outputs, np.float32)))
    last, bias = made[-1]
    made[-1] = (last * np.float32(0.1), bias)  # so that all outputs start near zero
    return made


def fit(
    layers: list[Layer],
    inputs: Callable[[Index], Floats],
    groups: int,
    loss: Loss,
    plan: Plan,
    rng: np.random.Generator,
    members: int = 1,
) -> float:
    """Fit the layers in place. Return the mean loss of the last tenth of the steps.

    There are `groups` · `members` rows. The members of a group are adjacent and always in one
    minibatch. `inputs` returns the rows (N, inputs) with these numbers.
    """
    batch = max(1, plan.rows // members)
    steps = max(1, round(plan.passes * groups / batch))
    parameters = [array for layer in layers for array in layer]
    adam = Adam(parameters)
    losses = []
    for step, chosen in zip(range(steps), _minibatches(groups, batch, rng), strict=False):
        rows = (chosen[:, None] * members + np.arange(members)).ravel()
        value, slopes = gradients(layers, inputs(rows), rows, loss)
        rate = plan.rate * min(1.0, (step + 1) / 100) * 0.5 * (1 + np.cos(np.pi * step / steps))
        adam.step(slopes, rate)
        losses.append(value)
    return float(np.mean(losses[-max(1, steps // 10) :]))


def _minibatches(groups: int, batch: int, rng: np.random.Generator) -> Iterator[Index]:
    """Yield numbers of groups endlessly, each pass in a new order."""
    while True:
        order = rng.permutation(groups)
        for first in range(0, groups, batch):
            yield order[first : first + batch]


def gradients(
    layers: Sequence[Layer], rows: Floats, numbers: Index, loss: Loss
) -> tuple[float, list[Floats]]:
    """Return the loss of a minibatch, and its gradient by all parameters."""
    seen = [rows]
    for weights, bias in layers[:-1]:
        seen.append(np.maximum(seen[-1] @ weights + bias, 0))
    value, back = loss(seen[-1] @ layers[-1][0] + layers[-1][1], numbers)
    made: list[Floats] = []
    for (weights, _), before in zip(reversed(layers), reversed(seen), strict=True):
        made[:0] = [before.T @ back, back.sum(axis=0)]
        back = (back @ weights.T) * (before > 0)
    return value, made


class Adam:
    """The optimizer of Kingma and Ba (2015); changes its parameters in place."""

    def __init__(self, parameters: Sequence[Floats]) -> None:
        self._parameters = parameters
        self._means = [np.zeros_like(array) for array in parameters]
        self._squares = [np.zeros_like(array) for array in parameters]
        self._steps = 0

    def step(self, gradients: Sequence[Floats], rate: float) -> None:
        """Take one step against the gradients."""
        self._steps += 1
        size = np.float32(rate * np.sqrt(1 - BETA2**self._steps) / (1 - BETA1**self._steps))
        arrays = zip(self._parameters, gradients, self._means, self._squares, strict=True)
        for parameter, gradient, mean, square in arrays:
            mean += (1 - BETA1) * (gradient - mean)
            square += (1 - BETA2) * (gradient * gradient - square)
            parameter -= size * mean / (np.sqrt(square) + TINY)


class Entropy:
    """The cross entropy of scores from 0 to 1 and logits."""

    def __init__(self, targets: Floats) -> None:
        self._targets = targets

    def __call__(self, logits: Floats, rows: Index) -> tuple[float, Floats]:
        """See `Loss`."""
        targets = self._targets[rows]
        error = 1 / (1 + np.exp(-logits)) - targets
        value = float((np.logaddexp(0, logits) - targets * logits).mean())
        return value, (error / error.size).astype(np.float32)

    def mean(self, logits: Floats) -> float:
        """Return the mean over all rows."""
        return self(logits, np.arange(len(logits)))[0]
