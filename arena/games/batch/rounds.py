"""What all games share within a match: seats, points, rounds, quitting, scoring and the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from arena.games.batch.arrays import Bool, Index, Int8, Int16, UInt8, UInt64, as_flags, next_seats
from arena.games.batch.chance import Chance
from arena.games.batch.moves import Moves
from arena.games.rules import Game
from arena.games.rules.game import GAME_ENDS_AT, NOBODY

TURN, RETURN, FINISHED = 0, 1, -1  # phases
IGNORED = 255  # stands for an action in games that `perform` leaves as they are


class Rounds(ABC):
    """The rounds of N matches of one game. Functions act on the games (M,) that they are given."""

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
    seat: Int8  # (N,): who decides now; -1 in a finished game
    phase: Int8  # (N,): what they decide, an index into `rules.phases`; -1 in a finished game
    round: Int16  # (N,): from 1
    starter: Int8  # (N,): the seat that acted first in this round
    active_bits: UInt8  # (N,): bit s is set while seat s is in the round
    points: Int16  # (N, seats): held
    penalties: Int16  # (N, seats): scored at the end of the last round; 0 before there was one

    deals = True  # whether cards are dealt for the rounds that begin; if not, they cannot be played
    moves: Moves | None = None  # of the present round; None where they are not kept
    seats: int
    max_rounds: int
    chance: Chance

    # What a game implements

    def set_up(self) -> None:
        """Makes the arrays and tables that only this game has; runs once."""
        self.points, self.penalties = np.zeros((2, len(self), self.seats), np.int16)

    @abstractmethod
    def begin_matches(self, games: Index) -> None:
        """Sets what a new match starts with, but for points and rounds."""

    @abstractmethod
    def make_deck(self) -> UInt8:
        """The cards that a round is dealt from, as kinds (D,)."""

    @abstractmethod
    def deal_cards(self, games: Index, decks: UInt8) -> None:
        """Deals the shuffled cards (M, D), top card first."""

    @abstractmethod
    def penalty(self, games: Index) -> Int16:
        """What the cards of each seat score: (M, seats)."""

    @abstractmethod
    def returnable(self, games: Index, seats: Int8) -> Bool:
        """Which of the game's `returns` these seats may return: (M, returns)."""

    # Rounds

    def __len__(self) -> int:
        return len(self.seat)

    @property
    def finished(self) -> Bool:
        """(N,): whether the match is over."""
        over: Bool = self.seat == NOBODY
        return over

    @property
    def active(self) -> Bool:
        """(N, seats): who has not quit the round."""
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
        """Where these seats of these games are in an array (N, seats) made flat.

        One index instead of two or three takes half the time.
        """
        index: Index = games * self.seats + seats
        return index

    def pass_turn(self, games: Index) -> None:
        """The turn passes to the left in these games (COM-2)."""
        self.seat[games] = next_seats(self.active_bits[games], self.seat[games])
        self.phase[games] = TURN

    def quit(self, games: Index) -> Bool:
        """The deciding seats quit (COM-3); whether they were the last in the round (LAMA-15)."""
        left = self.active_bits[games] & ~(np.uint8(1) << self.seat[games].view(np.uint8))
        self.active_bits[games] = left
        last: Bool = left == 0
        return last

    def score(self, games: Index, emptied: Bool) -> None:
        """All players score their cards at once (COM-4), quit or not (LAMA-22, DICE-25).

        Where the deciding seat has emptied its hand and holds points, it may return a token
        (LAMA-25, LAMA-27, LAMA-28); the other rounds are over.
        """
        if not len(games):  # in most steps
            return
        penalties = self.penalty(games)
        self.penalties[games] = penalties
        self.receive(games, penalties)
        seats = self.seat[games]
        back = emptied & (self.points[games, seats] > 0)
        self.phase[games[back]] = RETURN
        self.end_round(games[~back])

    def receive(self, games: Index, points: Int16) -> None:
        """Players take tokens for these points (LAMA-23, PARTY-36), (M, seats)."""
        self.points[games] += points

    def give_back(self, games: Index, tokens: UInt8) -> None:
        """The deciding seats return token number `tokens` (M,), from 1, or keep all (0)."""
        if not len(games):
            return
        worth = np.array((0, *self.rules.returns), np.int16)[tokens]
        self.return_tokens(games, self.seat[games], worth)
        self.after_return(games)

    def return_tokens(self, games: Index, seats: Int8, worth: Int16) -> None:
        """Takes tokens (M,) of 1, 10 or 20 points, or of 0 for none, from these seats."""
        self.points[games, seats] -= worth

    def after_return(self, games: Index) -> None:
        """Continues after returns, which happen once the round has been scored."""
        self.end_round(games)

    def end_round(self, games: Index) -> None:
        """Ends matches in which a player holds 40 points or more (COM-5, -6, -7; LAMA-34).

        In the others the next round begins.
        """
        if not len(games):
            return
        # By seat first: NumPy reduces the first axis six times as fast as a short last one.
        most = np.ascontiguousarray(self.points[games].T).max(axis=0)
        over = most >= GAME_ENDS_AT
        over |= self.round[games] >= self.max_rounds
        done, more = games[over], games[~over]
        self.seat[done] = NOBODY
        self.phase[done] = FINISHED
        self.begin_round(more, self.next_starter(more))

    def next_starter(self, games: Index) -> Int8:
        """The last player to take a turn (PARTY-27, PARTY-41, PARTY-42, DICE-32, KAD-62).

        They are still the deciding seat: a round ends by a turn, or by what the same player then
        returns.
        """
        return self.seat[games]
