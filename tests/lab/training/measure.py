"""Measures how many matches luck-adjusted scores save, on matches between house bots."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.games.batch import batch_class
from arena.games.batch.arrays import Int
from arena.value.luck.model import DEAL, DRAW, KINDS, ROLL
from arena.value.luck.valuing import LATER, LuckNet, find
from arena.value.luck.watching import Watch
from arena.value.network import Floats
from arena.value.strategies import STYLES, choose, deciding
from arena.value.turns import pairs, scores_of_points

SORTS = (DEAL, LATER, DRAW, ROLL)  # of events, each with its own shrinkage
AT_ONCE = 4096
FIELDS = (STYLES, ("careful", "sharp"))
MATCHES = 4096  # in each of them
SAMPLES = 400  # of a bootstrap
Doubles = npt.NDArray[np.float64]


class Played(NamedTuple):
    """Matches, their results, and their luck before shrinkage."""

    styles: Int  # (N, seats)
    scores: Floats  # (N, P): of each pair of seats
    luck: Doubles  # (N, SORTS, P)

    def every_second(self, first: int) -> Played:
        """Return every second match, starting at index 0 or 1."""
        return Played(self.styles[first::2], self.scores[first::2], self.luck[first::2])


def house_matches(
    net: LuckNet,
    game: str,
    seats: int,
    matches: int,
    rng: np.random.Generator,
    field: tuple[str, ...] = STYLES,
) -> Played:
    """Return matches between bots of the field, all different if it is large enough."""
    parts = [
        _together(net, game, seats, min(AT_ONCE, matches - first), rng, field)
        for first in range(0, matches, AT_ONCE)
    ]
    return Played(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _together(
    net: LuckNet,
    game: str,
    seats: int,
    count: int,
    rng: np.random.Generator,
    field: tuple[str, ...],
) -> Played:
    games = batch_class(game)(count, seats, rng.bytes(16))
    styles = seating(count, seats, field, rng)
    seeds = rng.integers(0, 1 << 64, (count, 2), dtype=np.uint64)
    watch, points = Watch(net, games, seeds), np.zeros((count, seats), np.int16)
    while True:
        over = watch.games.finished
        if over.any():
            points[watch.match[over]] = watch.games.points[over]
            if over.all():
                break
            watch.keep(np.flatnonzero(~over))
        now = watch.games
        watch.step(choose(now, deciding(now, styles[watch.match]), rng).astype(np.uint8))
    left, right = pairs(seats)
    return Played(styles, scores_of_points(points)[:, left, right], _sums(watch, count))


def seating(count: int, seats: int, field: tuple[str, ...], rng: np.random.Generator) -> Int:
    """Return the strategy of each seat (count, seats), each bot of the field about as often."""
    copies = -(-seats // len(field))
    numbers = np.tile([STYLES.index(name) for name in field], (count, copies))
    return rng.permuted(numbers, axis=1)[:, :seats]


def _sums(watch: Watch, count: int) -> Doubles:
    """Return the luck of each match by sort of event (count, SORTS, P)."""
    events = watch.events()
    numbers = np.array([SORTS.index(kind) for kind in KINDS])[events.kind]
    numbers[(events.kind == KINDS.index(DEAL)) & (events.round > 1)] = SORTS.index(LATER)
    sums = np.zeros((count * len(SORTS), events.pairs.shape[1]))
    np.add.at(sums, events.match * len(SORTS) + numbers, events.pairs)
    return sums.reshape(count, len(SORTS), -1)


# As a table, for `python -m tests.lab train measure`


def lines(
    games: Sequence[str], seats: Sequence[int], size: float, seed: int, folder: Path
) -> Iterator[str]:
    """Yield the factor of matches saved for each game and number of seats, by field."""
    for game, count in product(games, seats):
        net = find(game, count, folder=folder)
        if net is None:
            yield f"{game} {count}  no model"
            continue
        told = [
            measured(net, game, max(100, round(MATCHES * size)), [seed, count, 4, number], field)
            for number, field in enumerate(FIELDS)
        ]
        yield f"{game} {count}  {'  '.join(told)}"


def measured(net: LuckNet, game: str, matches: int, seed: list[int], field: tuple[str, ...]) -> str:
    """Describe the factor of matches saved in a field, and the CPU time of a match."""
    rng, begun = np.random.default_rng(seed), time.process_time()
    played = house_matches(net, game, net.seats, matches, rng, field)
    taken = 1000 * (time.process_time() - begun) / matches
    low, high = factor_interval(played, net.shrinkage, rng)
    name = "all six" if field == STYLES else ", ".join(field)
    found = factor(played, net.shrinkage)
    return f"{name}: {found:.2f} ({low:.2f} to {high:.2f}), {taken:.1f} ms a match"


# The factor


def residuals(played: Played, values: Doubles) -> Doubles:
    """Return values of pairs (N, P) minus the mean between two such bots."""
    left, right = pairs(played.styles.shape[1])
    among = len(STYLES)
    kind = (played.styles[:, left] * among + played.styles[:, right]).ravel()
    counts = np.maximum(np.bincount(kind, minlength=among**2), 1)
    means = np.bincount(kind, values.ravel(), among**2) / counts
    made: Doubles = values - means[kind].reshape(values.shape)
    return made


def fitted_shrinkage(played: Played) -> dict[str, float]:
    """Return the least-squares factor of luck by sort of event."""
    there = [n for n in range(len(SORTS)) if played.luck[:, n].any()]
    columns = [residuals(played, played.luck[:, n]).ravel() for n in there]
    wanted = residuals(played, played.scores.astype(np.float64)).ravel()
    found = np.linalg.lstsq(np.stack(columns, axis=1), wanted, rcond=None)[0]
    return {
        SORTS[n]: round(float(f), 3) for n, f in zip(there, np.clip(found, 0, 1.2), strict=True)
    }


def sums_by_seat(played: Played, values: Doubles) -> Doubles:
    """Return the sum (N, seats) of each seat over its opponents, from values of pairs (N, P)."""
    seats = played.styles.shape[1]
    left, right = pairs(seats)
    made = np.zeros((len(values), seats))
    for pair, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        made[:, one] += values[:, pair]
        made[:, other] -= values[:, pair]
    return made


def squared(played: Played, shrinkage: Mapping[str, float]) -> tuple[Doubles, Doubles]:
    """Return the squared residuals of each match (N,): of unadjusted and of adjusted scores."""
    parts = np.array([shrinkage[kind] for kind in SORTS])
    plain = played.scores.astype(np.float64)
    less = plain - np.einsum("nkp,k->np", played.luck, parts)
    squares = [
        (sums_by_seat(played, residuals(played, values)) ** 2).sum(axis=1)
        for values in (plain, less)
    ]
    return squares[0], squares[1]


def factor(played: Played, shrinkage: Mapping[str, float]) -> float:
    """Return the number of unadjusted matches that tell as much as one adjusted match."""
    plain, less = squared(played, shrinkage)
    return float(plain.mean() / less.mean())


def factor_interval(
    played: Played, shrinkage: Mapping[str, float], rng: np.random.Generator
) -> tuple[float, float]:
    """Return the 95% interval of the factor, by bootstrap over matches."""
    plain, less = squared(played, shrinkage)
    chosen = rng.integers(len(plain), size=(SAMPLES, len(plain)))
    factors = plain[chosen].mean(axis=1) / less[chosen].mean(axis=1)
    low, high = np.quantile(factors, (0.025, 0.975))
    return float(low), float(high)
