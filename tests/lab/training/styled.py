"""Trains U with the style of each seat as an input; see `luck.valuing`.

Its inputs are expected points, so it has to be smooth. It also learns from the ends of matches,
where a player has 40 points or more, and is inaccurate close to them. `outcome` is accurate there.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from arena.games.batch import batch_class
from arena.games.batch.arrays import Index, Int8, Int16
from arena.value.luck.beliefs import Beliefs
from arena.value.luck.styled import STYLED, features
from arena.value.network import Floats, Network
from arena.value.strategies import choose, deciding
from arena.value.turns import order_from, pairs, scores_of_points
from tests.lab.training.fit import Entropy, Plan, fit, new_layers
from tests.lab.training.selfplay import seated

HIDDEN = (48, 32)
MATCHES = 32_768  # for a model of the usual size
AT_ONCE = 16_384  # matches stepped together
PLAN = Plan(passes=6, rows=2048, rate=4e-3)


class Rounds(NamedTuple):
    """Played rounds, with the results of their matches."""

    match: Index  # (N,): the number of its match
    points: Int16  # (N, seats): at the start; the last row of a match has the final points
    starter: Int8  # (N,)
    styles: Floats  # (N, seats, S): see `Beliefs`
    final: Int16  # (N, seats): at the end of the match


def make(game: str, seats: int, size: float, seed: int, folder: Path) -> Network:
    """Train a model of the usual size times `size`; see `command.Maker`."""
    return train(game, seats, max(100, round(MATCHES * size)), seed)


def train(game: str, seats: int, matches: int, seed: int) -> Network:
    """Train a model on the results of this many matches; `about` describes the data.

    A tenth of the matches are held out to measure the quality: the cross entropy of a pair's
    result, by the model and with ½ for every pair.
    """
    rng = np.random.default_rng([seed, seats])
    played = play(game, seats, matches, rng)
    rows, wanted = _examples(played)
    apart = played.match % 10 == 0
    layers = new_layers((rows.shape[1], *HIDDEN, wanted.shape[1]), rng)
    inputs, entropy = rows[~apart], Entropy(wanted[~apart])
    fit(layers, lambda numbers: inputs[numbers], len(inputs), entropy, PLAN, rng)
    network = Network.rounded(layers, {})
    told = Entropy(wanted[apart])
    quality = {
        "cross entropy": told.mean(network(rows[apart])),
        "if even": told.mean(np.zeros_like(wanted[apart])),
    }
    about = {
        "kind": STYLED,
        "game": game,
        "seats": seats,
        "trained on": f"{len(inputs)} rounds of {matches} matches between the house's bots",
        "quality": {name: round(value, 5) for name, value in quality.items()},
    }
    return Network.rounded(layers, about)


def play(game: str, seats: int, matches: int, rng: np.random.Generator) -> Rounds:
    """Return the rounds of matches between house bots."""
    parts, first = [], 0
    while first < matches:
        count = min(AT_ONCE, matches - first)
        parts.append(_play_together(game, seats, count, first, rng))
        first += count
    return Rounds(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _play_together(
    game: str, seats: int, count: int, first: int, rng: np.random.Generator
) -> Rounds:
    games = batch_class(game)(count, seats, rng.bytes(16))
    styles, match = seated(count, seats, rng), np.arange(count)
    final = np.zeros((count, seats), np.int16)
    beliefs = Beliefs(count, seats)
    begun, seen = games.round * 0, []
    while len(match):
        new = np.flatnonzero((games.round != begun) | games.finished)
        known = beliefs.select(new).shares()
        seen.append((match[new], games.points[new], np.maximum(games.starter[new], 0), known))
        begun, over = games.round.copy(), games.finished
        final[match[over]] = games.points[over]
        if over.any():
            left = np.flatnonzero(~over)
            match, styles, begun = match[left], styles[left], begun[left]
            if not len(left):
                break
            games, beliefs = games.select(left), beliefs.select(left)
        actions = choose(games, deciding(games, styles), rng)
        beliefs.note(games, actions)
        games.step(actions)
    numbers, points, starter, known = (np.concatenate(column) for column in zip(*seen, strict=True))
    return Rounds(numbers + first, points, starter, known, final[numbers])


def _examples(played: Rounds) -> tuple[Floats, Floats]:
    """Return the inputs of each round (N, inputs), and the score of each pair of places (N, P)."""
    order = order_from(played.starter, played.points.shape[1])
    scores = scores_of_points(np.take_along_axis(played.final, order, axis=1))
    left, right = pairs(order.shape[1])
    rows = features(played.points, played.starter, played.styles)
    return rows, scores[:, left, right]
