"""Policy models, which choose actions from the knowledge of a seat.

Their inputs have the same columns for every number of seats: columns of missing seats are zeros, so
that one model works for all. They contain only what the deciding seats may know, as in
`Games.observe`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Bool, Int, Int16, UInt32, as_flags
from arena.games.batch.dice import DiceGames
from arena.games.batch.dice_legal import VALUES
from arena.games.batch.kadabra import KadabraGames
from arena.games.batch.shedding import SheddingGames
from arena.games.batch.tokens import TokenGames
from arena.games.rules import game_class
from arena.games.rules.dice_rows import SCORES
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.games.rules.kadabra_tokens import POOL, STAGE
from arena.games.rules.rounds import GAME_ENDS_AT
from arena.value import catalog
from arena.value.cards import CIRCLE, steps
from arena.value.network import Floats, Network
from arena.value.strategies import choose, sharp_margin
from arena.value.strategies.styles import SHARP

KIND = "policy"
PLACES = MOST_SEATS  # with columns, in playing order from the deciding seat


def features(games: Games) -> Floats:
    """Return the inputs of the policy model (N, inputs), undefined for finished games."""
    everyone = np.arange(len(games))
    points = games.turned(games.points)
    lead = points[:, :1] - points.min(axis=1, keepdims=True)
    most = points.max(axis=1, keepdims=True)
    parts: list[Int | Floats] = [
        games.phase[:, None] == np.arange(len(games.rules.phases)),
        np.broadcast_to(_seats(games.seats), (len(games), MOST_SEATS - FEWEST_SEATS + 1)),
        lead / 10,
        (GAME_ENDS_AT - most) / 20,
        by_place(games.turned(games.active)),
        by_place(points / 10),
        by_place(points >= 10),
        by_place(points > 0),
    ]
    if isinstance(games, TokenGames):
        parts += [by_place(games.turned(games.whites) / 10)]
    if isinstance(games, KadabraGames):
        parts += _magic(games)
    if isinstance(games, SheddingGames):
        parts += _cards(games, everyone)
    if isinstance(games, DiceGames):
        parts += _rows(games)
    parts += advice(games)
    columns = [part.reshape(len(games), -1) for part in parts]
    return np.concatenate(columns, axis=1, dtype=np.float32)


def advice(games: Games) -> list[Int | Floats]:
    """Return the action of `sharp` (N, A) and its scaled `sharp_margin` (N, 1). So a model starts
    from the play of a good bot and learns only the differences."""
    sharp = np.full(len(games), SHARP, np.int8)
    chosen = choose(games, sharp, np.random.default_rng(0))
    margin = np.clip(sharp_margin(games) / 5, -2, 2)
    return [chosen[:, None] == np.arange(len(games.rules.notation)), margin[:, None]]


def by_place(values: Int | Floats, places: int = PLACES) -> Floats:
    """Pad values by place (N, seats, …) with zeros for missing seats: (N, places, …)."""
    made = np.zeros((len(values), places, *values.shape[2:]), np.float32)
    made[:, : values.shape[1]] = values
    return made


@cache
def _seats(seats: int) -> Bool:
    there: Bool = np.arange(FEWEST_SEATS, MOST_SEATS + 1) == seats
    return there


def _cards(games: SheddingGames, everyone: Int) -> list[Int | Floats]:
    """Return columns of the own hand, by kind and by steps from the top card, and of open cards."""
    hand, kinds = games.hands[everyone, games.seat], len(games.rules.kinds)
    held = games.held[everyone, games.seat]
    left = games.decks.shape[1] - games.drawn.astype(np.int16)
    own = games.penalty(everyone)[everyone, games.seat]
    return [
        hand / 2,
        hand > 0,
        (held[:, None] & _away(games.rules.name)[games.top]) != 0,
        own[:, None] / 10,
        games.top[:, None] == np.arange(kinds),
        games.discarded / 4,
        by_place(games.turned(games.sizes) / 6),
        left[:, None] / 20,
        left[:, None] == 0,
    ]


@cache
def _away(game: str) -> UInt32:
    """Return the kinds, as bits, at each number of steps from each top card (K, 7)."""
    kinds = game_class(game).kinds
    masks = np.zeros((len(kinds), CIRCLE), np.uint32)
    for top, (bit, kind) in product(range(len(kinds)), enumerate(kinds)):
        masks[top, steps(kind, kinds[top])] |= np.uint32(1 << bit)
    return masks


def _magic(games: KadabraGames) -> list[Int | Floats]:
    stage = np.stack((games.stage_whites, games.stage_blacks), axis=1)
    has = games.turned(games.magic[:, None] == np.arange(games.seats))
    return [stage / 3, games.magic[:, None] == np.array([POOL, STAGE]), by_place(has)]


def _rows(games: DiceGames) -> list[Int | Floats]:
    """Return columns of all rows and their penalties, the llama row and the dice."""
    rows = games.turned(games.rows)
    penalty: Int16 = (rows > 0).astype(np.int16) @ np.array(SCORES, np.int16)
    row = as_flags(games.llama_bits, VALUES)
    bust = ((rows[:, 0] > 0) | row).astype(np.int16) @ np.array(SCORES, np.int16)
    return [
        by_place(rows / 2),
        by_place(rows > 0),
        by_place(penalty / 10),
        by_place(games.turned(games.sizes) / 6),
        row,
        bust[:, None] / 10,
        (games.dice[:, :, None] == np.arange(VALUES)).sum(axis=1),
    ]


@dataclass(frozen=True)
class PolicyNet:
    """A model that gives every action a logit."""

    network: Network

    def logits(self, games: Games) -> Floats:
        """Return the logits of all actions (N, A), minus infinity for illegal ones."""
        return np.where(games.legal, self.network(features(games)), -np.inf).astype(np.float32)

    def __call__(self, games: Games, rng: np.random.Generator) -> Int:
        """Return the likeliest action of each game: a Policy."""
        chosen: Int = self.logits(games).argmax(axis=1)
        return chosen

    def sampled(self, games: Games, rng: np.random.Generator) -> Int:
        """Return an action of each game, drawn by the probabilities of the model: a Policy."""
        return drawn(likelihoods(self.logits(games)), rng)


def find(
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = catalog.NETS,
) -> PolicyNet | None:
    """Return the model for matches of a game, or None if no model fits the options."""
    network = catalog.find(KIND, game, seats, options, folder)
    return PolicyNet(network) if network else None


def likelihoods(logits: Floats) -> Floats:
    """Return the softmax of each row (N, A), or equal shares for a row without a finite logit."""
    most = logits.max(axis=1, keepdims=True)
    odds = np.exp(logits - np.where(np.isfinite(most), most, 0))
    total = odds.sum(axis=1, keepdims=True)
    shares: Floats = np.where(total > 0, odds / np.maximum(total, 1e-30), 1 / logits.shape[1])
    return shares


def drawn(shares: Floats, rng: np.random.Generator) -> Int:
    """Draw a column of each row (N, A) by the shares."""
    sums = shares.cumsum(axis=1)
    sums /= sums[:, -1:]
    at = rng.random((len(shares), 1), dtype=np.float32)
    # A column with a share of 0 is never the first with a sum above `at`.
    chosen: Int = np.minimum((sums <= at).sum(axis=1), shares.shape[1] - 1)
    return chosen
