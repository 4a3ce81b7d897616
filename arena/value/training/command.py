"""Makes nets one after the other, each with its card. For `arena train`."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Protocol, cast

from arena.value import catalog
from arena.value.network import Network

# By kind of net: the module whose `make` trains one. The order is that in which they need each
# other.
MAKERS = {
    "outcome": "arena.value.training.outcome",
    "styled": "arena.value.training.styled",
    "rounds": "arena.value.training.rounds",
    "luck": "arena.value.training.luck",
    "policy": "arena.value.training.policy",
}
ALL = 0  # numbers of seats at once, for a kind that has one net for all of them

# What makes no net, but says what they are worth.
MEASURE, MEASURES = "measure", "arena.value.training.measure"


class Maker(Protocol):
    """What such a module has."""

    def make(self, game: str, seats: int, size: float, seed: int, folder: Path) -> Network:
        """Trains a net; `folder` has the nets that it builds on. Its `about` is on the card."""


def made(
    kind: str, games: Sequence[str], seats: Sequence[int], size: float, seed: int, to: Path | None
) -> Iterator[str]:
    """Makes all nets of a kind for these games and numbers of seats; says of each what came out."""
    folder = to or catalog.NETS
    if kind == MEASURE:
        yield from importlib.import_module(MEASURES).lines(games, seats, size, seed, folder)
        return
    folder.mkdir(parents=True, exist_ok=True)
    maker = cast("Maker", importlib.import_module(MAKERS[kind]))
    for game, count in product(games, [ALL] if kind in catalog.SHARED else seats):
        begun = time.process_time()
        network = maker.make(game, count, size, seed, folder)
        at = "" if count == ALL else f" --seats {count}"
        words = f"arena train {kind} --game {game}{at}{said(size)} --seed {seed}"
        network = Network(network.layers, {**network.about, "command": words})
        name = catalog.file_name(kind, game, count)
        write(network, folder / name)
        yield f"{name}  {time.process_time() - begun:.0f} s of CPU  {told(network)}"


def write(network: Network, path: Path) -> None:
    """Writes a net and its card."""
    network.save(path)
    catalog.load.cache_clear()
    parameters = sum(weights.size + bias.size for weights, bias in network.layers)
    card = {**network.about, "parameters": parameters, "sha256": network.digest}
    path.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n")


def told(network: Network) -> str:
    """How good a net is, in short."""
    return ", ".join(f"{name} {value:g}" for name, value in network.about["quality"].items())


def said(size: float) -> str:
    """The option --size, unless it is the usual one."""
    return "" if size == 1 else f" --size {size:g}"
