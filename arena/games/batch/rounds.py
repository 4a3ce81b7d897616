"""The base of all batches: seats, points, rounds, quitting, scoring, the end of matches, observing.

Columns of observations are built from permitted parts, like views. The name of a column for a seat
ends with its distance to the left of the deciding seat: "points +0" are the deciding seat's points.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

import numpy as np

from arena.games.batch.arrays import (
    Bool,
    Index,
    Int,
    Int8,
    Int16,
    UInt8,
    UInt64,
    as_flags,
    entries,
    next_seats,
)
from arena.games.batch.chance import Chance
from arena.games.batch.moves import Moves
from arena.games.rules import Game
from arena.games.rules.rounds import GAME_ENDS_AT, NOBODY

TURN, RETURN, FINISHED = 0, 1, -1  # phases
IGNORED = 255  # an action in games that `perform` skips

# Names of columns, and their values (N, columns), or with more axes in the order of the names.
Known: TypeAlias = list[tuple[Sequence[str], Int]]


def by_place(seats: int, names: Sequence[str]) -> list[str]:
    """Returns the names of columns for every seat, nearest first."""
    return [f"{name} +{place}" for place in range(seats) for name in names]


class Rounds(ABC):
    """The rounds of N matches of one game. Functions act on the given games (M,)."""

    rules: ClassVar[type[Game]]
    state: ClassVar[tuple[str, ...]] = (  # names of the arrays, for `select`
        "seeds",
        "seat",
        "phase",
        "round",
        "starter",
        "active_bits",
        "points",
        "penalties",
    )

    seeds: UInt64  # (N, 2): the 16 bytes of each game's seed, little-endian; see `seed_of`
    seat: Int8  # (N,): the deciding seat; -1 in a finished game
    phase: Int8  # (N,): kind of decision, an index into `rules.phases`; -1 in a finished game
    round: Int16  # (N,): from 1
    starter: Int8  # (N,): the seat that acted first in this round
    active_bits: UInt8  # (N,): bit s is set while seat s is in the round
    points: Int16  # (N, seats): penalty points
    penalties: Int16  # (N, seats): points scored at the end of the last round; 0 before

    deals = True  # whether cards are dealt for new rounds; otherwise they cannot be played
    moves: Moves | None = None  # of the current round; None if not recorded
    seats: int
    max_rounds: int
    chance: Chance

    # Implemented by each game

    def set_up(self) -> None:
        """Creates the arrays and tables; runs once."""
        self.points, self.penalties = np.zeros((2, len(self), self.seats), np.int16)

    @abstractmethod
    def begin_matches(self, games: Index) -> None:
        """Sets the state at the start of a match, except points and rounds."""

    @abstractmethod
    def make_deck(self) -> UInt8:
        """Returns the cards that a round is dealt from, as kinds (D,)."""

    @abstractmethod
    def deal_cards(self, games: Index, decks: UInt8) -> None:
        """Deals the shuffled cards (M, D), top card first."""

    @abstractmethod
    def penalty(self, games: Index) -> Int16:
        """Returns the penalty points of each seat's cards, (M, seats)."""

    @abstractmethod
    def returnable(self, games: Index, seats: Int8) -> Bool:
        """Returns which of the game's `returns` these seats may return, (M, returns)."""

    # Rounds

    def __len__(self) -> int:
        return len(self.seat)

    @property
    def finished(self) -> Bool:
        """Whether the match is over, (N,)."""
        over: Bool = self.seat == NOBODY
        return over

    @property
    def active(self) -> Bool:
        """Whether each seat is still in the round, (N, seats)."""
        return as_flags(self.active_bits, self.seats)

    def begin_round(self, games: Index, starters: Int8) -> None:
        """Shuffles all cards for the next round (LAMA-30, PARTY-40, DICE-31, KAD-61)."""
        if not len(games):
            return
        decks = None
        if self.deals:
            decks = self.chance.decks(self.seeds[games], self.round[games] + 1, self.make_deck())
        self._open_round(games, decks, starters)

    def _open_round(self, games: Index, decks: UInt8 | None, starters: Int8) -> None:
        self.round[games] += 1
        self.starter[games] = self.seat[games] = starters
        self.phase[games] = TURN
        self.active_bits[games] = (1 << self.seats) - 1
        if decks is not None:
            self.deal_cards(games, decks)
        if self.moves is not None:
            self.moves.clear(games)

    def seat_index(self, games: Index, seats: Int8) -> Index:
        """Returns the indices of these seats in a flattened array (N, seats). One index is twice as
        fast as two or three."""
        index: Index = games * self.seats + seats
        return index

    def pass_turn(self, games: Index) -> None:
        """The turn passes to the left in these games (COM-2)."""
        self.seat[games] = next_seats(self.active_bits[games], self.seat[games])
        self.phase[games] = TURN

    def quit(self, games: Index) -> Bool:
        """The deciding seats quit (COM-3). Returns whether they were the last ones (LAMA-15)."""
        left = self.active_bits[games] & ~(np.uint8(1) << self.seat[games].view(np.uint8))
        self.active_bits[games] = left
        last: Bool = left == 0
        return last

    def score(self, games: Index, emptied: Bool) -> None:
        """All players score their cards at once (COM-4), quit or not (LAMA-22, DICE-25).

        If the deciding seat has emptied its hand and has points, it may return a token (LAMA-25,
        LAMA-27, LAMA-28). The other rounds are over.
        """
        if not len(games):  # fast path for most steps
            return
        penalties = self.penalty(games)
        self.penalties[games] = penalties
        self.receive(games, penalties)
        seats = self.seat[games]
        back = emptied & (entries(self.points, games, seats) > 0)
        self.phase[games[back]] = RETURN
        self.end_round(games[~back])

    def receive(self, games: Index, points: Int16) -> None:
        """Players take tokens for these points (LAMA-23, PARTY-36), (M, seats)."""
        self.points[games] += points

    def give_back(self, games: Index, tokens: UInt8) -> None:
        """The deciding seats return token number `tokens` (M,), from 1; 0 returns none."""
        if not len(games):
            return
        worth = np.array((0, *self.rules.returns), np.int16)[tokens]
        self.return_tokens(games, self.seat[games], worth)
        self.after_return(games)

    def return_tokens(self, games: Index, seats: Int8, worth: Int16) -> None:
        """Takes tokens (M,) of 1, 10 or 20 points, or 0 for none, from these seats."""
        self.points[games, seats] -= worth

    def after_return(self, games: Index) -> None:
        """Continues after returns, which happen once the round has been scored."""
        self.end_round(games)

    def end_round(self, games: Index) -> None:
        """Ends matches with a player of 40 points or more (COM-5, -6, -7; LAMA-34). The others
        start the next round."""
        if not len(games):
            return
        # By seat first: NumPy reduces the first axis much faster than a short last one.
        most = np.ascontiguousarray(self.points.take(games, axis=0).T).max(axis=0)
        over = most >= GAME_ENDS_AT
        over |= self.round[games] >= self.max_rounds
        done, more = games[over], games[~over]
        self.seat[done] = NOBODY
        self.phase[done] = FINISHED
        self.begin_round(more, self.next_starter(more))

    def next_starter(self, games: Index) -> Int8:
        """Returns the last player to take a turn (PARTY-27, PARTY-41, PARTY-42, DICE-32, KAD-62).

        This is still the deciding seat: a round ends with a turn, or with the same player's return.
        """
        return self.seat[games]

    # Observing

    def known(self) -> Known:
        """Returns the columns of an observation with their values, for all games."""
        phases = self.phase[:, None] == np.arange(len(self.rules.phases))
        return [
            ([f"phase {phase}" for phase in self.rules.phases], phases),
            (["round"], self.round[:, None]),
            (by_place(self.seats, ["active"]), self.turned(self.active)),
            (by_place(self.seats, ["points"]), self.turned(self.points)),
        ]

    def turned(self, by_seat: Int) -> Int:
        """Rotates an array by seat (N, seats, …), so that the deciding seat comes first."""
        seats = (self.seat[:, None] + np.arange(self.seats)) % self.seats
        return entries(by_seat, np.arange(len(self))[:, None], seats)

    def observe(self) -> Int16:
        """Returns the information of the deciding seats (INFO-1, INFO-3), (N, C), as numbers.

        It excludes cards of other hands, of the draw pile or put aside, and everything that depends
        on them. It is the current state without the order of past moves. Finished games have zeros.
        """
        parts = [values.reshape(len(self), -1) for _, values in self.known()]
        seen = np.concatenate(parts, axis=1, dtype=np.int16)
        seen[self.finished] = 0
        return seen

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `observe`, (C,)."""
        return tuple(name for names, _ in self.known() for name in names)
