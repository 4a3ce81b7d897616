"""A multi-layer perceptron in NumPy, with ReLU between its layers.

The .npz file has a matrix and a bias for each layer, rounded to 16 bits, and a JSON text with the
rest. Weights are rounded when a network is created, not when it is saved. So the measured network
is bit-identical to the shipped one.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from arena.base.errors import ArenaError

Floats: TypeAlias = npt.NDArray[np.float32]
Layer: TypeAlias = tuple[Floats, Floats]  # a matrix (inputs, outputs) and a bias (outputs,)
ROWS = 1024  # evaluated together: intermediate results fit the cache


class BadNet(ArenaError):
    """A file is not a valid model, or does not fit its use."""


@dataclass(frozen=True)
class Network:
    """Trained layers, and a description of them."""

    layers: tuple[Layer, ...]
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def rounded(cls, layers: Sequence[Layer], about: Mapping[str, Any]) -> Network:
        """Return a network with the weights rounded to 16 bits."""
        half = [(w.astype(np.float16), b.astype(np.float16)) for w, b in layers]
        kept = tuple((w.astype(np.float32), b.astype(np.float32)) for w, b in half)
        return cls(kept, dict(about))

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return len(self.layers[0][0])

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return len(self.layers[-1][1])

    def __call__(self, rows: Floats) -> Floats:
        """Return the outputs (N, outputs) for rows (N, inputs)."""
        made = np.empty((len(rows), self.outputs), np.float32)
        for first in range(0, len(rows), ROWS):
            some = slice(first, first + ROWS)
            made[some] = self._forward(rows[some])
        return made

    def _forward(self, rows: Floats) -> Floats:
        *hidden, (last, bias) = self.layers
        for weights, shift in hidden:
            rows = rows @ weights
            rows += shift
            np.maximum(rows, 0, out=rows)
        made: Floats = rows @ last + bias
        return made

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the weights and of `about`, in hexadecimal."""
        hashed = hashlib.sha256(_text(self.about).encode())
        for weights, bias in self.layers:
            hashed.update(np.array(weights.shape, "<u4").tobytes())
            hashed.update(weights.astype("<f2").tobytes())
            hashed.update(bias.astype("<f2").tobytes())
        return hashed.hexdigest()

    def save(self, path: Path) -> None:
        """Write the network to a file."""
        arrays = {"about": np.frombuffer(_text(self.about).encode(), np.uint8)}
        for number, (weights, bias) in enumerate(self.layers):
            arrays[f"weights{number}"] = weights.astype(np.float16)
            arrays[f"bias{number}"] = bias.astype(np.float16)
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: Path) -> Network:
        """Read a network. Raises BadNet for an invalid file, OSError if it cannot be read."""
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                about = json.loads(bytes(arrays["about"]).decode())
                count = sum(name.startswith("weights") for name in arrays)
                layers = [(arrays[f"weights{n}"], arrays[f"bias{n}"]) for n in range(count)]
        except (ValueError, KeyError, EOFError, BadZipFile) as error:
            raise BadNet(f"{path.name} is not a valid model ({error}).") from error
        fits = all(len(after[0]) == len(before[1]) for before, after in itertools.pairwise(layers))
        if not layers or not fits:
            raise BadNet(f"{path.name} is not a valid model. Its layers do not fit each other.")
        return cls.rounded(layers, about)


def _text(about: Mapping[str, Any]) -> str:
    return json.dumps(about, sort_keys=True)
