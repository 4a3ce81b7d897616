"""Measures how much moves reveal about hidden hands, for `bench inference`.

The likelihood of the true hands is compared with that of randomly drawn hands, as a logarithm. An
inference without information scores 0, and one that is mostly wrong scores below 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

import arena.base.blas_threads  # noqa: F401 - before NumPy's threads start
from arena.games.batch import batch_class
from arena.games.batch.arrays import Index
from arena.games.batch.rounds import RETURN
from arena.games.batch.shedding import SheddingGames
from arena.value.search.inference import Doubles, Inference
from arena.value.search.players import net_of
from arena.value.strategies import Policy, choose, deciding
from tests.lab.bench.unusual import UNUSUAL, unusual
from tests.lab.players import player
from tests.lab.strength import NORMAL
from tests.lab.training.selfplay import seated

HOUSE = "house"  # stands for tables of house bots, mostly good ones
TABLES = 200  # matches played together
LOOKED_AT = 0.1  # share of their decisions that may be measured
TRUTHS = 16  # sampled histories of the true hands


@dataclass(frozen=True)
class Gain:
    """The gain of the inference at tables of some players."""

    game: str
    seats: int
    players: str
    nats: float  # mean log-likelihood ratio of the true hands
    error: float  # half of the 95% interval
    share: float  # mean effective share of the sampled hands
    decisions: int


def measure(
    games: Sequence[str], seats: Sequence[int], players: Sequence[str], decisions: int, seed: int
) -> Iterator[Gain]:
    """Measure `decisions` decisions of each of these tables.

    Raises NotFound without a net, ValueError for an unknown name, TypeError for a game without
    hidden hands.
    """
    for game, count, name in product(games, seats, players):
        inference, rng = Inference(net_of(game, count)), np.random.default_rng(seed)
        gains, shares, matches = np.zeros(0), np.zeros(0), np.zeros(0, np.intp)
        for looked_at, numbers in moments(game, count, name, decisions, rng):
            gain, share = gained(looked_at, inference, rng)
            gains, shares = np.append(gains, gain), np.append(shares, share)
            matches = np.append(matches, numbers)
        error = NORMAL * clustered_error(gains, matches)
        yield Gain(game, count, name, float(gains.mean()), error, float(shares.mean()), len(gains))


def moments(
    game: str, seats: int, name: str, decisions: int, rng: np.random.Generator
) -> Iterator[tuple[SheddingGames, Index]]:
    """Yield random decisions of full matches between players of this name, or of house bots, some
    at a time, with the numbers of their matches.

    Only decisions in rounds with at least one move count. All decisions of a match are equally
    likely, because the first ones reveal less.
    """
    found = list[tuple[SheddingGames, Index]]()
    total, begun = 0, 0
    while total < decisions:
        for some, tables in played(game, seats, name, rng):
            found.append((some, tables + begun))
            total += len(tables)
        begun += TABLES
    chosen = np.zeros(total, np.bool_)
    chosen[rng.choice(total, decisions, replace=False)] = True
    ends = np.cumsum([len(numbers) for _, numbers in found])
    for (some, numbers), one in zip(found, np.split(chosen, ends[:-1]), strict=True):
        if one.any():
            yield some.select(np.flatnonzero(one)), numbers[one]


def played(
    game: str, seats: int, name: str, rng: np.random.Generator
) -> Iterator[tuple[SheddingGames, Index]]:
    """Yield a share of the decisions of TABLES matches, with the numbers of their tables."""
    games = batch_class(game)(TABLES, seats, rng.bytes(16))
    if not isinstance(games, SheddingGames):
        raise TypeError(f"No hands are hidden in {games.rules.title}.")
    games.keep_moves()
    styles = seated(TABLES, seats, rng)
    house: Policy = lambda some, rng: choose(some, deciding(some, styles), rng)  # noqa: E731
    policy = house if name == HOUSE else players(name, game, seats)
    while not games.finished.all():
        assert games.moves
        told = (games.moves.counts > 0) & (games.phase != RETURN) & ~games.finished
        looked_at = np.flatnonzero(told & (rng.random(TABLES) < LOOKED_AT))
        if len(looked_at):
            yield games.select(looked_at), looked_at
        games.step(policy(games, rng))


def players(name: str, game: str, seats: int) -> Policy:
    """Return the policy of this name; see `unusual` and `player`."""
    return unusual(name) if name in UNUSUAL else player(name, game, seats, 2)


def clustered_error(gains: Doubles, matches: Index) -> float:
    """Return the standard error of the mean of gains (N,), clustered by match (N,)."""
    _, whose = np.unique(matches, return_inverse=True)
    sums = np.bincount(whose, gains - gains.mean())
    count = len(sums)
    return float(np.sqrt((sums**2).sum() * count / max(count - 1, 1)) / len(gains))


def gained(
    games: SheddingGames, inference: Inference, rng: np.random.Generator
) -> tuple[Doubles, Doubles]:
    """Return the log-likelihood ratio of the true hands in these games (N,), and the effective
    share of the sampled hands (N,)."""
    everyone = np.arange(len(games))
    true = games.select(np.repeat(everyone, TRUTHS))
    drawn = games.select(np.repeat(everyone, inference.candidates))
    drawn.determinize()
    truths = inference.log_likelihoods(true, rng).reshape(len(games), -1)
    others = inference.log_likelihoods(drawn, rng).reshape(len(games), -1)
    weights = np.exp(others - others.max(axis=1, keepdims=True))
    share = weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1) / inference.candidates
    return _mean(truths) - _mean(others), share


def _mean(logs: Doubles) -> Doubles:
    """Return the logarithm of the mean of the exponentials, by row."""
    mean: Doubles = np.logaddexp.reduce(logs, axis=1) - np.log(logs.shape[1])
    return mean
