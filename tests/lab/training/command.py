"""Train models, each with its model card. For `train`."""

import importlib
import json
import time
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Protocol, cast

from arena.base.errors import InvalidRequest
from arena.base.text import duration, plural
from arena.value import catalog
from arena.value.network import Network
from tests.lab.training.tasks import ALL, KINDS, Task, done, in_order

# Trains no model, but measures their quality.
MEASURE, MEASURES = "measure", "tests.lab.training.measure"

SAME = "the same"  # printed for a model that is bit-identical to the bundled one


class Maker(Protocol):
    """The interface of the module of a kind of model."""

    def make(self, game: str, seats: int, size: float, seed: int, folder: Path) -> Network:
        """Train a model; `folder` has the models it builds on. Its `about` goes on the card."""


def made(
    kind: str,
    games: Sequence[str],
    seats: Sequence[int],
    size: float,
    seed: int,
    to: Path | None,
    jobs: int = 1,
) -> Iterator[str]:
    """Train the models of a kind for these games and numbers of seats, `jobs` at a time; yield a
    line about each."""
    folder = to or catalog.NETS
    if kind == MEASURE:
        yield from importlib.import_module(MEASURES).lines(games, seats, size, seed, folder)
        return
    tables = product(games, [ALL] if kind in catalog.SHARED else seats)
    tasks = [Task(kind, game, count, size, seed) for game, count in dict.fromkeys(tables)]
    for _, line in done(tasks, jobs, partial(make, folder=folder)):
        yield line


def made_again(games: Collection[str], to: Path, jobs: int) -> Iterator[str]:
    """Retrain the bundled models of these games from their cards, and compare each result.

    A model that `to` already has from the same command, newer than all it builds on, is not trained
    again, so an interrupted command continues. Raises InvalidRequest for the bundled folder.
    """
    if to.resolve() == catalog.NETS.resolve():
        raise InvalidRequest(
            "This folder has the models to compare with. Choose another folder with --to."
        )
    begun, same = time.monotonic(), 0
    cards = [json.loads(path.read_text()) for path in sorted(catalog.NETS.glob("*.json"))]
    tasks = [Task.of(card["command"]) for card in cards if card["game"] in games]
    left = list[Task]()
    for task in in_order(tasks):
        needed = [other for other in tasks if task.needs(other)]
        if any(other in left for other in needed) or not _is_there(task, needed, to):
            left.append(task)
            continue
        verdict = _verdict(task, to)
        same += verdict == SAME
        yield f"{task.name}  exists  {verdict}"
    for task, line in done(left, jobs, partial(make, folder=to)):
        catalog.load.cache_clear()  # another process may have written it
        verdict = _verdict(task, to)
        same += verdict == SAME
        yield f"{line}  {verdict}"
    took = duration(time.monotonic() - begun)
    yield f"{plural(len(left), 'model')} trained in {took}; {same} of {len(tasks)} are the same."


def make(task: Task, folder: Path) -> str:
    """Train a model, and return a line about it."""
    begun = time.process_time()
    catalog.load.cache_clear()  # another process may have trained what it builds on
    folder.mkdir(parents=True, exist_ok=True)
    maker = cast("Maker", importlib.import_module(KINDS[task.kind].module))
    network = maker.make(task.game, task.seats, task.size, task.seed, folder)
    network = Network(network.layers, {**network.about, "command": task.command})
    write(network, folder / task.name)
    return f"{task.name}  {time.process_time() - begun:.0f} s of CPU  {told(network)}"


def write(network: Network, path: Path) -> None:
    """Write the card, then the model in one step, so that a model file is always complete."""
    parameters = sum(weights.size + bias.size for weights, bias in network.layers)
    card = {**network.about, "parameters": parameters, "sha256": network.digest}
    path.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n")
    part = path.with_suffix(".part")
    network.save(part)
    part.replace(path)
    catalog.load.cache_clear()


def told(network: Network) -> str:
    """Return the quality of a model in short."""
    return ", ".join(f"{name} {value:g}" for name, value in network.about["quality"].items())


def _is_there(task: Task, needed: Sequence[Task], folder: Path) -> bool:
    """Whether a model was trained by this command, after all that it builds on."""
    path = folder / task.name
    network = catalog.load(path)
    if network is None or network.about.get("command") != task.command:
        return False
    since = path.stat().st_mtime_ns
    return all((folder / other.name).stat().st_mtime_ns <= since for other in needed)


def _verdict(task: Task, folder: Path) -> str:
    """Compare a model with the bundled one."""
    network, known = catalog.load(folder / task.name), catalog.load(catalog.NETS / task.name)
    if known is None:
        return "new"
    if network is not None and network.digest == known.digest:
        return SAME
    return f"different; the bundled one: {told(known)}"
