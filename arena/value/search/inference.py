"""What others' moves say about their hands.

Hands are drawn for the others of which all are equally likely, and the round is taken back from
there, move by move, to its start. At each decision of another seat on the way a net says how likely
a player with that hand does what was done there: a player who draws rarely has a card to play, and
one who quits rarely holds much. The better hands explain the round, the more often a search tries
them. A player whose moves no good player would make may play whatever it holds: its moves then say
little.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.games.batch import Games
from arena.games.batch.arrays import Bool, Index, Int, UInt8
from arena.games.batch.moves import NO_MOVE
from arena.games.batch.rounds import RETURN
from arena.games.batch.shedding import SheddingGames
from arena.games.rules.shedding import PLAY
from arena.value.policy_net import PolicyNet, likelihoods
from arena.value.strategies import choose
from arena.value.strategies.styles import SHARP, STUBBORN

Doubles: TypeAlias = npt.NDArray[np.float64]

# As whom others may play beside the net: a good bot, and one that hardly ever quits.
STYLES = (SHARP, STUBBORN)
# How many others do: the net first, and last players whose moves do not depend on their hands.
SHARES = np.array([0.25, 0.125, 0.125, 0.5])
HABITS = np.array([0.1, 1, 0.5])  # how often it quit, drew and played before, so to say
ANY_CARD = 0.8  # how likely it plays just that card when it plays one
TOGETHER = 8192  # states that are taken back at once


@dataclass(frozen=True)
class Hands:
    """Hands that the seats of N games may hold, and how likely each is."""

    hands: UInt8  # (N, C, seats, K): how many cards of each kind
    sums: Doubles  # (N, C): the chance that it is this one or one before

    def drawn(self, games: Index, counts: Int, rng: np.random.Generator) -> UInt8:
        """So many hands (M,) for each of these games (M,): (sum of counts, seats, K)."""
        chosen: UInt8 = self.hands[np.repeat(games, counts), self.numbers(games, counts, rng)]
        return chosen

    def numbers(self, games: Index, counts: Int, rng: np.random.Generator) -> Index:
        """Which hands are drawn (sum of counts,), below C: for each game ascending.

        Drawn systematically: how often hands are among them differs by less than one from how
        often they are expected to be.
        """
        rows = np.repeat(np.arange(len(games)), counts)
        number = np.arange(len(rows)) - np.repeat(counts.cumsum() - counts, counts)
        at = (number + rng.random(len(games))[rows]) / counts[rows]
        sums = self.sums[games] + np.arange(len(games))[:, None]
        found = np.searchsorted(sums.ravel(), at + rows, side="right") - rows * sums.shape[1]
        numbers: Index = np.minimum(found, sums.shape[1] - 1)
        return numbers


class Knowledge(Protocol):
    """What a seat knows or thinks of the others' hands."""

    def hands(
        self, games: Games, rng: np.random.Generator, until: float = float("inf")
    ) -> Hands | None:
        """Hands for games as the deciding seats may think them; None where all are as likely."""


@dataclass(frozen=True)
class Inference:
    """Judges hands by what others did in the round.

    Each of them is taken to play a whole round as the net does or as a bot of STYLES, and now and
    then anything, so that nothing is ruled out; or to play whatever its hand, by habits of its own.
    The more a player's moves surprise the former, the likelier it is of the latter.
    """

    net: PolicyNet
    candidates: int = 256  # hands that are drawn for a decision
    any_action: float = 0.2  # how often any legal action is chosen, whatever the hand
    only_quitters: bool = False  # whether only the moves of players who have quit are looked at
    moves: int = 256  # of each player that are looked at, the last ones

    def hands(
        self, games: Games, rng: np.random.Generator, until: float = float("inf")
    ) -> Hands | None:
        """Hands for games as the deciding seats may think them, which have kept their moves.

        From the last moves alone where the time is over at `until`, on the clock of `monotonic`.
        None where nothing can be inferred: in other games, before the first move, without time.
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
        """Hands for some games (M,), and logarithms of how well each explains the round."""
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
        """How likely others with these hands do what they did in the round (N,), as logarithms,
        but for a constant.

        `states` are used up: they are left at the start of the round, or somewhere on the way back
        when the time is over. Which card was drawn when is part of what is drawn here.
        """
        moves, telling = states.moves, self._telling(states)
        assert moves is not None
        # By seat and kind of player: nobody knows of which kind others are, but they stay so.
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
        """Which moves of the round may tell something of hands (N, L): those of other seats."""
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
        """How likely the net and the bots of STYLES choose these actions, which are about cards, as
        logarithms: (N, players).

        Cards of a kind are told apart, as they are where hands are drawn: of several in hand it is
        one that was played.
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
    """How likely players whose moves do not depend on their hands do this (M,), as logarithms.

    Nobody knows their habits but by their other moves (Krichevsky and Trofimov's estimator), which
    `habits` (N, seats, 3) counts; the order of the moves makes no difference.
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
    """So many states for each game, in which its deciding seat would see the same.

    With hands as `inference` finds them likely where other players have quit a round that is not
    scored yet; else, and without it, all are equally likely. The states (N * samples,), and which
    of them share a hand: the same number (N, samples), ascending.
    """
    states = games.select(np.repeat(np.arange(len(games)), samples))
    states.moves = None  # nothing is inferred from rounds that are played on
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
        hands[rows] = found.hands[np.arange(len(quit_by))[:, None], numbers]
        states.suppose(hands)
        shared[quit_by] = numbers
    return states, shared


def cumulated(logs: Doubles) -> Doubles:
    """Shares that go as these weights, of which the logarithms are given, summed up (N, C).

    Equal shares where no weight is more than nothing.
    """
    most = logs.max(axis=1, keepdims=True)
    weights = np.where(np.isfinite(most), np.exp(logs - np.where(np.isfinite(most), most, 0)), 1.0)
    sums = weights.cumsum(axis=1)
    sums /= sums[:, -1:]
    return sums
