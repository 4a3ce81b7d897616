"""V: what a state is worth to each pair of seats, right after chance has decided something.

Two nets, one after the other. `rounds` says what the cards on the table will bring: for each seat
its expected points from cards, their square, other points (tokens given back), and how often it
goes out. `luck` makes of that, of the points held, and of what U says about their sum, the result
of the match.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.games.batch import Games
from arena.games.batch.arrays import Bool, Int, Int16
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
from arena.value.turns import order_from, pairs

ROUNDS, LUCK = "rounds", "luck"  # kinds of nets
STATS = 4  # outputs of the first net for each seat
SHOW = Kadabra.phases.index("show")
LATER = "later deal"  # of any round but the first
ROWS = 256  # states that the first net is asked about together
METHOD = "3"  # raised when the same nets come to other numbers


@dataclass(frozen=True)
class LuckNet:
    """V, with what luck is multiplied by for each kind of event."""

    rounds: Network
    luck: Network
    outcome: StyledNet

    @property
    def seats(self) -> int:
        return self.outcome.seats

    @property
    def shrinkage(self) -> Mapping[str, float]:
        """By kind of event: the part of its luck that is taken out of scores."""
        kinds = (DEAL, LATER, DRAW, ROLL)
        return {kind: float(self.luck.about.get("beta", {}).get(kind, 1)) for kind in kinds}

    @property
    def version(self) -> str:
        """Names the method, all weights and the shrinkage: other versions, other luck."""
        parts = (METHOD, self.rounds.digest, self.luck.digest, self.outcome.version)
        return f"{METHOD}-{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:16]}"

    def values(self, games: Games, styles: Floats) -> Floats:
        """The score of each pair of seats (N, P), for states in which a turn begins.

        `styles` (N, seats, S): how each plays, see `Beliefs`.
        """
        order, states = order_from(games.seat, self.seats), features(games, styles)
        stats = prospects(self.rounds, states)
        base = base_logits(self.outcome, games.points, stats, order, states.styles)
        logits = base + self.luck(second_inputs(games.points, stats, base, order, states.styles))
        return turned_pairs(1 / (1 + np.exp(-np.clip(logits, -30, 30))), games.seat, self.seats)

    def of_ended(self, games: Games, styles: Floats) -> Floats:
        """The same for games whose round is over, before the next one's cards are known."""
        left, right = pairs(self.seats)
        return self.outcome.scores(games.points, games.starter, styles)[:, left, right]


def find(
    game: str,
    seats: int,
    options: Mapping[str, str] | None = None,
    folder: Path = catalog.NETS,
) -> LuckNet | None:
    """V for matches of a game; None if a net is missing or does not know these options.

    Raises BadNet for nets of another release, whose inputs were others.
    """
    first = catalog.find(ROUNDS, game, seats, options, folder)
    second = catalog.find(LUCK, game, seats, options, folder)
    ends = styled.find(game, seats, options, folder)
    if not (first and second and ends):
        return None
    if (first.inputs, second.outputs) != (width(game, seats), ends.network.outputs):
        raise BadNet(f"The {ROUNDS} net for {game} at {seats} seats is not of this release.")
    return LuckNet(first, second, ends)


# Between the two nets


def prospects(rounds: Network, states: Features) -> Floats:
    """What the first net says of each place of these states (N, seats · STATS)."""
    parts = [
        rounds(states.select(slice(first, first + ROWS)).inputs())
        for first in range(0, len(states.together), ROWS)
    ]
    return np.concatenate(parts).reshape(len(states.together), -1)


def base_logits(
    ends: StyledNet, points: Int16, stats: Floats, order: Int, styles: Floats
) -> Floats:
    """What U says of the points that are expected at the end of the round: (N, P), in `order`."""
    seats = order.shape[1]
    by_place = stats.reshape(len(stats), seats, STATS)
    held = np.take_along_axis(points.astype(np.float32), order, axis=1)
    held = np.maximum(held + 10 * (by_place[:, :, 0] + by_place[:, :, 2]), 0)
    # Places stand for seats here; whoever goes out most often starts the next round.
    scores = ends.smooth(held, by_place[:, :, 3].argmax(axis=1), styles)
    left, right = pairs(seats)
    score = np.clip(scores[:, left, right], 1e-6, 1 - 1e-6)
    logits: Floats = np.log(score) - np.log1p(-score)
    return logits


def second_inputs(points: Int16, stats: Floats, base: Floats, order: Int, styles: Floats) -> Floats:
    """The inputs of the second net (N, …)."""
    held = styled.features(points, order[:, 0])
    known = styles.reshape(len(styles), -1)
    return np.concatenate([stats, base, held, known], axis=1, dtype=np.float32)


def turned_pairs(scores: Floats, first: Int, seats: int) -> Floats:
    """Scores of pairs of places from `first` on (N, P), as those of pairs of seats (N, P)."""
    full = np.full((len(scores), seats, seats), 0.5, np.float32)
    left, right = pairs(seats)
    full[:, left, right], full[:, right, left] = scores, 1 - scores
    place = (np.arange(seats) - first.astype(np.intp)[:, None]) % seats
    games = np.arange(len(scores))[:, None]
    turned: Floats = full[games, place[:, left], place[:, right]]
    return turned


# States that V values


def settle(games: Games, begun: Int16) -> Bool:
    """Plays on to where a turn begins, or their round (number `begun`) ends; which have ended.

    Only what follows from chance at once is decided: discards and takes, returned tokens, all as
    the house's bots decide them. Cards of later rounds are of no account.
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
    """V of states (N, P), once they are settled; changes the games."""
    ended = settle(games, begun)
    made = np.empty((len(games), net.seats * (net.seats - 1) // 2), np.float32)
    over, on = np.flatnonzero(ended), np.flatnonzero(~ended)
    if len(over):
        made[over] = net.of_ended(games.select(over), styles[over])
    if len(on):
        made[on] = net.values(games.select(on) if len(over) else games, styles[on])
    return made
