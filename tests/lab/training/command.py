"""Makes nets, each with its card. For `train`."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Protocol, cast

from arena.base.durations import duration
from arena.base.errors import InvalidRequest
from arena.base.text import plural
from arena.value import catalog
from arena.value.network import Network
from tests.lab.training.tasks import ALL, KINDS, Task, done, in_order

# What makes no net, but says what they are worth.
MEASURE, MEASURES = "measure", "tests.lab.training.measure"

SAME = "the same"  # what is said of a net that came out as the package's is


class Maker(Protocol):
    """What the module of a kind of net has."""

    def make(self, game: str, seats: int, size: float, seed: int, folder: Path) -> Network:
        """Trains a net; `folder` has the nets that it builds on. Its `about` is on the card."""


def made(
    kind: str,
    games: Sequence[str],
    seats: Sequence[int],
    size: float,
    seed: int,
    to: Path | None,
    jobs: int = 1,
) -> Iterator[str]:
    """Makes all nets of a kind for these games and numbers of seats, so many at a time; says of
    each what came out."""
    folder = to or catalog.NETS
    if kind == MEASURE:
        yield from importlib.import_module(MEASURES).lines(games, seats, size, seed, folder)
        return
    tables = product(games, [ALL] if kind in catalog.SHARED else seats)
    tasks = [Task(kind, game, count, size, seed) for game, count in dict.fromkeys(tables)]
    for _, line in done(tasks, jobs, partial(make, folder=folder)):
        yield line


def made_again(games: Collection[str], to: Path, jobs: int) -> Iterator[str]:
    """Makes the package's nets of these games as their cards say, and compares each with it.

    What `to` has by the same command already, and newer than all it builds on, is not made once
    more: who was interrupted goes on. Raises InvalidRequest for the folder of the package's nets.
    """
    if to.resolve() == catalog.NETS.resolve():
        raise InvalidRequest("These are the nets to compare with: name another folder with --to.")
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
        yield f"{task.name}  was there  {verdict}"
    for task, line in done(left, jobs, partial(make, folder=to)):
        catalog.load.cache_clear()  # another process may have written it
        verdict = _verdict(task, to)
        same += verdict == SAME
        yield f"{line}  {verdict}"
    took = duration(time.monotonic() - begun)
    yield f"{plural(len(left), 'net')} made in {took}; {same} of {len(tasks)} are the package's."


def make(task: Task, folder: Path) -> str:
    """Makes a net, and says what came out."""
    begun = time.process_time()
    catalog.load.cache_clear()  # another process may have made what it builds on
    folder.mkdir(parents=True, exist_ok=True)
    maker = cast("Maker", importlib.import_module(KINDS[task.kind].module))
    network = maker.make(task.game, task.seats, task.size, task.seed, folder)
    network = Network(network.layers, {**network.about, "command": task.command})
    write(network, folder / task.name)
    return f"{task.name}  {time.process_time() - begun:.0f} s of CPU  {told(network)}"


def write(network: Network, path: Path) -> None:
    """Writes a net and its card, which is there before it; a net that is there is whole."""
    parameters = sum(weights.size + bias.size for weights, bias in network.layers)
    card = {**network.about, "parameters": parameters, "sha256": network.digest}
    path.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n")
    part = path.with_suffix(".part")
    network.save(part)
    part.replace(path)
    catalog.load.cache_clear()


def told(network: Network) -> str:
    """How good a net is, in short."""
    return ", ".join(f"{name} {value:g}" for name, value in network.about["quality"].items())


def _is_there(task: Task, needed: Sequence[Task], folder: Path) -> bool:
    """Whether a net was made by this command, after those that it builds on."""
    path = folder / task.name
    network = catalog.load(path)
    if network is None or network.about.get("command") != task.command:
        return False
    since = path.stat().st_mtime_ns
    return all((folder / other.name).stat().st_mtime_ns <= since for other in needed)


def _verdict(task: Task, folder: Path) -> str:
    """How a net compares with the package's."""
    network, known = catalog.load(folder / task.name), catalog.load(catalog.NETS / task.name)
    if known is None:
        return "new"
    if network is not None and network.digest == known.digest:
        return SAME
    return f"another one; the package's: {told(known)}"
