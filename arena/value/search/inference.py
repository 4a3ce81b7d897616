"""Inference of the other seats' hands from their moves.

Hands of the others are drawn uniformly. Then the round is taken back to its start, move by move.
At each decision of another seat, a model gives the probability of its move with that hand. For
example, a draw makes a playable card unlikely, and quitting makes many points unlikely. A search
tries hands in proportion to how well they explain the round. Moves that no good player would make
say little, since that player may ignore its hand.
"""

from dataclasses import dataclass
from time import monotonic
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.games.batch import Games
from arena.games.batch.arrays import Bool, Index, Int, UInt8, entries
from arena.games.batch.moves import NO_MOVE
from arena.games.batch.rounds import RETURN
from arena.games.batch.shedding import SheddingGames
from arena.games.rules.shedding import PLAY
from arena.value.policy_net import PolicyNet, likelihoods
from arena.value.strategies import choose
from arena.value.strategies.styles import SHARP, STUBBORN

Doubles: TypeAlias = npt.NDArray[np.float64]

# Styles that others may play besides the model: a good bot, and one that rarely quits.
STYLES = (SHARP, STUBBORN)
# Prior probabilities: the model, STYLES, and players whose moves do not depend on their hands.
SHARES = np.array([0.25, 0.125, 0.125, 0.5])
HABITS = np.array([0.1, 1, 0.5])  # prior counts of quitting, drawing and playing for the latter
ANY_CARD = 0.8  # probability of the card that such a player plays
TOGETHER = 8192  # states that are taken back at once


@dataclass(frozen=True)
class Hands:
    """Possible hands of the seats of N games, with their probabilities."""

    hands: UInt8  # (N, C, seats, K): number of cards of each kind
    sums: Doubles  # (N, C): cumulative probabilities

    def drawn(self, games: Index, counts: Int, rng: np.random.Generator) -> UInt8:
        """Draw `counts` (M,) hands for each of these games (M,): (sum of counts, seats, K)."""
        return entries(self.hands, np.repeat(games, counts), self.numbers(games, counts, rng))

    def numbers(self, games: Index, counts: Int, rng: np.random.Generator) -> Index:
        """Draw numbers of hands (sum of counts,), below C and ascending for each game. Systematic
        sampling: the count of each hand differs from its expectation by less than one."""
        rows = np.repeat(np.arange(len(games)), counts)
        number = np.arange(len(rows)) - np.repeat(counts.cumsum() - counts, counts)
        at = (number + rng.random(len(games))[rows]) / counts[rows]
        sums = self.sums[games] + np.arange(len(games))[:, None]
        found = np.searchsorted(sums.ravel(), at + rows, side="right") - rows * sums.shape[1]
        numbers: Index = np.minimum(found, sums.shape[1] - 1)
        return numbers


class Knowledge(Protocol):
    """Knowledge of the other seats' hands."""

    def hands(
        self, games: Games, rng: np.random.Generator, until: float = float("inf")
    ) -> Hands | None:
        """Return hands for games as the deciding seats see them; None if all are equally likely."""


@dataclass(frozen=True)
class Inference:
    """Weighs hands by the moves of other seats in the round.

    Each seat is assumed to play the whole round like the model or a bot of STYLES, with some random
    actions so that nothing is ruled out. Or it ignores its hand and plays by habit. The less likely
    its moves are under the former, the more probable is the latter.
    """

    net: PolicyNet
    candidates: int = 256  # hands drawn for a decision
    any_action: float = 0.2  # probability of a random legal action
    only_quitters: bool = False  # use only the moves of players who have quit
    moves: int = 256  # number of last moves used for each player

    def hands(
        self, games: Games, rng: np.random.Generator, until: float = float("inf")
    ) -> Hands | None:
        """Return hands for games that have kept their moves, as seen by the deciding seats.

        If the time ends at `until` (by `monotonic`), only the last moves are used. Returns None in
        LAMA Dice, before the first move, or without time.
        """
        if not isinstance(games, SheddingGames) or games.moves is None:
            return None
        if monotonic() >= until or not games.moves.counts.any():
            return None
        step = max(1, TOGETHER // self.candidates)
        parts = [
            self._judged(games, np.arange(first, min(first + step, len(games))), rng, until)
            for first in range(0, len(games), step)
        ]
        hands, found = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Hands(hands, cumulated(found))

    def _judged(
        self, games: SheddingGames, some: Index, rng: np.random.Generator, until: float
    ) -> tuple[UInt8, Doubles]:
        """Return hands for some games (M,), and their log-likelihoods."""
        states = games.select(np.repeat(some, self.candidates))
        states.determinize()
        games.begun = states.begun  # the next states are others
        hands = states.hands.copy()
        found = self.log_likelihoods(states, rng, until)
        shape = (len(some), self.candidates)
        return hands.reshape(*shape, *hands.shape[1:]), found.reshape(shape)

    def log_likelihoods(
        self, states: SheddingGames, rng: np.random.Generator, until: float = float("inf")
    ) -> Doubles:
        """Return the log-likelihoods of the others' moves with these hands (N,), up to a constant.

        `states` are modified. They end at the start of the round, or on the way there if the time
        runs out. The order of drawn cards is drawn at random here.
        """
        moves, telling = states.moves, self._telling(states)
        assert moves is not None
        # By seat and kind of player. The kind is unknown, but does not change in a round.
        found = np.zeros((len(states), states.seats, len(SHARES))) + np.log(SHARES)
        habits = np.zeros((len(states), states.seats, len(HABITS))) + HABITS
        first = np.where(telling.any(axis=1), telling.argmax(axis=1), NO_MOVE)
        while len(among := np.flatnonzero(moves.counts > first)) and monotonic() < until:
            random = rng.integers(0, 1 << 32, len(among), dtype=np.uint32)
            seats, actions = states.take_back(among, random)
            told = telling[among, moves.counts[among]]
            if told.any():
                whose, done = (among[told], seats[told]), actions[told]
                found[(*whose, slice(-1))] += self._chosen(states.select(whose[0]), done, rng)
                found[(*whose, -1)] += by_habit(habits, *whose, done)
        logs: Doubles = np.logaddexp.reduce(found, axis=2).sum(axis=1)
        return logs

    def _telling(self, states: SheddingGames) -> Bool:
        """Return which moves of the round may reveal hands (N, L): card moves of other seats."""
        assert states.moves
        seats, cards = states.moves.seats, states.moves.actions < states.rules.keep
        telling: Bool = np.zeros(seats.shape, np.bool_)
        for seat in range(states.seats):
            asked = states.seat != seat
            if self.only_quitters:
                asked &= ~states.active[:, seat]
            own = (seats == seat) & cards & asked[:, None]
            back = own[:, ::-1].cumsum(axis=1)[:, ::-1]  # number among the seat's, from the last
            telling |= own & (back <= self.moves)
        return telling

    def _chosen(self, games: SheddingGames, actions: UInt8, rng: np.random.Generator) -> Doubles:
        """Return the log-probabilities of card actions for the model and STYLES (N, players).

        Cards of a kind are distinct, as they are when hands are drawn. So the probability of a play
        is divided by the number of copies in hand.
        """
        everyone = np.arange(len(games))
        net = likelihoods(self.net.logits(games))[everyone, actions]
        same = [np.full(len(games), style, np.int8) for style in STYLES]
        chosen = [choose(games, styles, rng) == actions for styles in same]
        chances = (1 - self.any_action) * np.stack([net, *chosen], axis=1)
        chances += self.any_action / games.legal.sum(axis=1, keepdims=True)
        plays = actions >= PLAY
        kinds = np.where(plays, actions - np.uint8(PLAY), 0)
        copies = np.where(plays, games.hands[everyone, games.seat, kinds], 1)
        logs: Doubles = np.log(chances / copies[:, None])
        return logs


def by_habit(habits: Doubles, games: Index, seats: Int, actions: UInt8) -> Doubles:
    """Return the log-probabilities of actions (M,) of players that ignore their hands.

    Their habits are estimated from their other moves (Krichevsky-Trofimov estimator), counted in
    `habits` (N, seats, 3). The order of the moves does not matter.
    """
    kinds = np.minimum(actions, PLAY)
    often = habits[games, seats]
    shares = often[np.arange(len(kinds)), kinds] / often.sum(axis=1)
    habits[games, seats, kinds] += 1
    logs: Doubles = np.log(np.where(kinds == PLAY, ANY_CARD, 1) * shares)
    return logs


def likely_states(
    games: Games, samples: int, inference: Knowledge | None, rng: np.random.Generator
) -> tuple[Games, Index]:
    """Draw `samples` states for each game in which its deciding seat would see the same.

    If other players have quit and the round is not scored yet, hands are drawn by `inference`.
    Otherwise, or without it, all are equally likely. Returns the states (N * samples,) and the
    ascending numbers of their hands (N, samples), equal for states that share a hand.
    """
    states = games.select(np.repeat(np.arange(len(games)), samples))
    states.moves = None  # not needed for playing on
    states.determinize()
    shared = np.arange(samples) + np.zeros((len(games), 1), np.intp)
    if inference is None or not isinstance(states, SheddingGames):
        return states, shared
    quitters = np.bitwise_count(games.active_bits) < games.seats
    quit_by = np.flatnonzero(quitters & (games.phase != RETURN))
    found = inference.hands(games.select(quit_by), rng) if len(quit_by) else None
    if found:
        hands, each = states.hands.copy(), np.full(len(quit_by), samples)
        rows = (quit_by * samples)[:, None] + np.arange(samples)
        numbers = found.numbers(np.arange(len(quit_by)), each, rng).reshape(rows.shape)
        hands[rows] = entries(found.hands, np.arange(len(quit_by))[:, None], numbers)
        states.suppose(hands)
        shared[quit_by] = numbers
    return states, shared


def cumulated(logs: Doubles) -> Doubles:
    """Return cumulative probabilities (N, C) for log-weights; uniform if all weights are 0."""
    most = logs.max(axis=1, keepdims=True)
    weights = np.where(np.isfinite(most), np.exp(logs - np.where(np.isfinite(most), most, 0)), 1.0)
    sums = weights.cumsum(axis=1)
    sums /= sums[:, -1:]
    return sums
