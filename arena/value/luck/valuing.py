"""V: the value of a state to each pair of seats, right after a chance event.

Two models work in sequence. `rounds` predicts the rest of the round for each seat: its expected
points from cards, their square, its other points (returned tokens), and how often it goes out.
`luck` predicts the result of the match from these, the points held, and U of the expected points.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Bool, Int, Int16, entries
from arena.games.batch.chance import SPLIT_MIX
from arena.games.batch.rounds import IGNORED, TURN
from arena.games.rules.kadabra import Kadabra
from arena.value import catalog
from arena.value.luck import styled
from arena.value.luck.features import Features, features, width
from arena.value.luck.model import DEAL, DRAW, ROLL
from arena.value.luck.styled import StyledNet
from arena.value.network import BadNet, Floats, Network
from arena.value.strategies import choose
from arena.value.strategies.styles import STUBBORN
from arena.value.turns import back_from, in_order, order_from, pairs

ROUNDS, LUCK = "rounds", "luck"  # kinds of models
STATS = 4  # outputs of the first model for each seat
SHOW = Kadabra.phases.index("show")
LATER = "later deal"  # of any round but the first
ROWS = 256  # states that the first model evaluates together
METHOD = "3"  # increase it when the same models give other numbers


@dataclass(frozen=True)
class LuckNet:
    """V, and the shrinkage of luck for each kind of event."""

    rounds: Network
    luck: Network
    outcome: StyledNet

    @property
    def seats(self) -> int:
        return self.outcome.seats

    @property
    def shrinkage(self) -> Mapping[str, float]:
        """By kind of event: the share of its luck that scores are adjusted by."""
        kinds = (DEAL, LATER, DRAW, ROLL)
        return {kind: float(self.luck.about.get("beta", {}).get(kind, 1)) for kind in kinds}

    @property
    def version(self) -> str:
        """Identifies the method, all weights and the shrinkage."""
        parts = (METHOD, self.rounds.digest, self.luck.digest, self.outcome.network.digest)
        return f"{METHOD}-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:16]}"

    def values(self, games: Games, styles: Floats) -> Floats:
        """Return the score of each pair of seats (N, P), for states at the start of a turn.
        `styles` (N, seats, S) come from `Beliefs`."""
        order, states = order_from(games.seat, self.seats), features(games, styles)
        stats = prospects(self.rounds, states)
        base = base_logits(self.outcome, games.points, stats, order, states.styles)
        logits = base + self.luck(second_inputs(games.points, stats, base, order, states.styles))
        return turned_pairs(1 / (1 + np.exp(-np.clip(logits, -30, 30))), games.seat, self.seats)

    def of_ended(self, games: Games, styles: Floats) -> Floats:
        """Return the scores (N, P) of games whose round is over, before the next deal."""
        left, right = pairs(self.seats)
        return self.outcome.scores(games.points, games.starter, styles)[:, left, right]


def find(
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = catalog.NETS,
) -> LuckNet | None:
    """Return V for matches of a game, or None if a model is missing or does not fit the options.
    Raises BadNet for models of another release, with other inputs."""
    first = catalog.find(ROUNDS, game, seats, options, folder)
    second = catalog.find(LUCK, game, seats, options, folder)
    ends = styled.find(game, seats, options, folder)
    if not (first and second and ends):
        return None
    if (first.inputs, second.outputs) != (width(game, seats), ends.network.outputs):
        raise BadNet(f"The {ROUNDS} model for {game} at {seats} seats is not of this release.")
    return LuckNet(first, second, ends)


# Between the two models


def prospects(rounds: Network, states: Features) -> Floats:
    """Return the outputs of the first model for each place of these states (N, seats · STATS)."""
    parts = [
        rounds(states.select(slice(first, first + ROWS)).inputs())
        for first in range(0, len(states.together), ROWS)
    ]
    return np.concatenate(parts).reshape(len(states.together), -1)


def base_logits(
    ends: StyledNet, points: Int16, stats: Floats, order: Int, styles: Floats
) -> Floats:
    """Return logits of U (N, P), in `order`, for the expected points at the end of the round."""
    seats = order.shape[1]
    by_place = stats.reshape(len(stats), seats, STATS)
    held = in_order(points.astype(np.float32), order)
    held = np.maximum(held + 10 * (by_place[:, :, 0] + by_place[:, :, 2]), 0)
    # Places stand for seats here. The one that goes out most often starts the next round.
    scores = ends.smooth(held, by_place[:, :, 3].argmax(axis=1), styles)
    left, right = pairs(seats)
    score = np.clip(scores[:, left, right], 1e-6, 1 - 1e-6)
    logits: Floats = np.log(score) - np.log1p(-score)
    return logits


def second_inputs(points: Int16, stats: Floats, base: Floats, order: Int, styles: Floats) -> Floats:
    """Return the inputs of the second model (N, …)."""
    held = styled.features(points, order[:, 0])
    known = styles.reshape(len(styles), -1)
    return np.concatenate([stats, base, held, known], axis=1, dtype=np.float32)


def turned_pairs(scores: Floats, first: Int, seats: int) -> Floats:
    """Convert scores of pairs of places from `first` on (N, P) to pairs of seats (N, P)."""
    full = np.full((len(scores), seats, seats), 0.5, np.float32)
    left, right = pairs(seats)
    full[:, left, right], full[:, right, left] = scores, 1 - scores
    place = back_from(first, seats)
    rows = np.arange(len(full))[:, None] * seats + place[:, left]
    return entries(full.reshape(-1, seats), rows, place[:, right])


# States that V values


def settle(games: Games, begun: Int16) -> Bool:
    """Play on to the start of a turn or the end of round `begun`. Return which rounds ended (N,).

    The house bots decide the discards, takes and returned tokens in between. Cards of later rounds
    do not matter.
    """
    games.chance = SPLIT_MIX
    while True:
        ended: Bool = (games.round != begun) | games.finished
        open_ones = ~ended & (games.phase != TURN)
        if games.rules is Kadabra:
            open_ones &= games.phase != SHOW
        if not open_ones.any():
            return ended
        actions = choose(games, np.full(len(games), STUBBORN), np.random.default_rng(0))
        actions = np.where(open_ones, actions, IGNORED).astype(np.uint8)
        games.perform(actions)
        games.is_offered = False


def settled_values(net: LuckNet, games: Games, begun: Int16, styles: Floats) -> Floats:
    """Settle states, which changes the games, and return V (N, P)."""
    ended = settle(games, begun)
    made = np.empty((len(games), net.seats * (net.seats - 1) // 2), np.float32)
    over, on = np.flatnonzero(ended), np.flatnonzero(~ended)
    if len(over):
        made[over] = net.of_ended(games.select(over), styles.take(over, axis=0))
    if len(on):
        going = games.select(on) if len(over) else games
        made[on] = net.values(going, styles.take(on, axis=0))
    return made
