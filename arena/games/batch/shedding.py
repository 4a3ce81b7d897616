"""The base of the card games: play a card, draw one, or quit; an empty hand ends the round.

Functions have the names of those in `arena.games.rules.shedding`, and act on the given games. Rule
IDs are LAMA's. Kinds of cards and actions have the same numbers.
"""

from collections.abc import Callable
from functools import cache
from typing import ClassVar

import numpy as np

from arena.games.batch.arrays import (
    Bool,
    Index,
    Int,
    Int8,
    Int16,
    UInt8,
    UInt32,
    as_flags,
    entries,
    nth_bit,
    nth_share,
    several,
)
from arena.games.batch.cards import CardGames
from arena.games.batch.rounds import RETURN, TURN
from arena.games.decisions import Decisions
from arena.games.rules.rounds import NOBODY
from arena.games.rules.shedding import DRAW, PLAY, QUIT, SheddingGame


class SheddingGames(CardGames):
    """Rounds of playing, drawing and quitting, in N games."""

    rules: ClassVar[type[SheddingGame]]
    bits: ClassVar[type[np.unsignedinteger]] = np.uint32  # holds one bit for each action
    state = (*CardGames.state, "legal_bits")

    legal_bits: Int  # (N,): bit a is set while action a is legal

    def set_up(self) -> None:
        """Also creates the bits of the kinds that may follow each kind."""
        super().set_up()
        self.legal_bits = np.zeros(len(self), self.bits)
        follows = [sum(1 << PLAY + kind for kind in after) for after in self.rules.follows]
        self.follows = np.array(follows, self.bits)

    def fill(self, decisions: Decisions) -> None:
        """Also counts the cards played."""
        super().fill(decisions)
        whose, moves = decisions.played()
        cards = moves[:, 1].astype(np.intp) - PLAY
        plays = ((cards >= 0) & (cards < len(self.rules.kinds))).nonzero()[0]
        np.add.at(self.discarded, (whose[plays], cards[plays]), 1)
        self.note_plays(whose[plays], moves[plays, 0].astype(np.int8))

    def note_plays(self, games: Index, seats: Int8) -> None:
        """Hook: these seats played cards in these games (M,), in the order of the moves."""

    def begin_matches(self, games: Index) -> None:
        """Every player starts without points (LAMA-2)."""

    # Decisions

    def perform(self, actions: Int) -> None:
        """Carries out actions; `arena.games.rules` describes them."""
        keep = self.rules.keep
        plays = ((actions >= PLAY) & (actions < keep)).nonzero()[0]
        draws, quits = (actions == DRAW).nonzero()[0], (actions == QUIT).nonzero()[0]
        backs = ((actions >= keep) & (actions <= keep + len(self.rules.returns))).nonzero()[0]
        passing, over = self.play(plays, actions[plays] - PLAY)
        self.give_card(draws, self.seat[draws])
        last = self.quit(quits)
        self.pass_turn(np.concatenate((passing, draws, quits[~last])))
        over = np.concatenate((over, quits[last]))
        self.score(over, entries(self.sizes, over, self.seat[over]) == 0)
        self.give_back(backs, actions[backs] - keep)

    def play(self, games: Index, kinds: UInt8) -> tuple[Index, Index]:
        """The deciding seats play a card each (LAMA-8). Returns the games whose turn passes, and
        those whose round ended with a last card, even if alone (LAMA-14, LAMA-20)."""
        hands = self.seat_index(games, self.seat[games])
        cards = hands * self.hands.shape[2] + kinds
        left = self.hands.reshape(-1).take(cards) - np.uint8(1)
        self.hands.reshape(-1)[cards] = left
        self.held.reshape(-1)[hands] ^= (left == 0).astype(np.uint32) << kinds
        self.top[games] = kinds
        self.discarded.reshape(-1)[games * self.discarded.shape[1] + kinds] += 1
        sizes = self.sizes.reshape(-1).take(hands) - np.uint8(1)
        self.sizes.reshape(-1)[hands] = sizes
        return self.after_play(games, kinds, sizes == 0)

    def after_play(self, games: Index, kinds: UInt8, empty: Bool) -> tuple[Index, Index]:
        """Returns the same after cards (M,) were played; `empty` (M,) are the empty hands."""
        return games[~empty], games[empty]

    def returnable(self, games: Index, seats: Int8) -> Bool:
        """Tokens are swapped freely, so only points matter (LAMA-24, LAMA-26, PARTY-33, -34)."""
        points = entries(self.points, games, seats)
        held: Bool = points[:, None] >= np.array(self.rules.returns)
        return held

    # Undoing moves

    def take_back(self, games: Index, random: UInt32) -> tuple[Int8, UInt8]:
        """Undoes the last recorded move of each of these games (M,). Returns its seats and actions,
        both (M,). These seats are to act again.

        Drawn cards are unknown to the others, so the random words (M,) choose one of the hand.
        Points and tokens do not change.
        """
        assert self.moves is not None
        last, actions = self.moves.take_last(games)
        seats = last.astype(np.int8)
        self.seat[games], self.phase[games] = seats, TURN
        self.active_bits[games] |= np.uint8(1) << last
        drawing = self.drawing(games, seats, actions)
        drew = drawing >= 0
        self.put_back(games[drew], drawing[drew], random[drew])
        plays = (actions >= PLAY) & (actions < self.rules.keep)
        self.take_up(games[plays], seats[plays], actions[plays] - np.uint8(PLAY))
        self.is_offered = False
        return seats, actions

    def drawing(self, games: Index, seats: Int8, actions: UInt8) -> Int8:
        """Returns the seats that got a card from the pile by the undone moves, (M,); else -1."""
        return np.where(actions == DRAW, seats, np.int8(NOBODY))

    def put_back(self, games: Index, seats: Int8, random: UInt32) -> None:
        """Moves a random card of these seats' hands to the tops of the piles."""
        hands = entries(self.hands, games, seats)
        sums = hands.cumsum(axis=1, dtype=np.uint8)
        number = nth_share(random, sums[:, -1])
        kinds = (sums <= number[:, None]).sum(axis=1).astype(np.uint8)
        self.drawn[games] -= np.uint8(1)
        self.decks[games, self.drawn[games]] = kinds
        self.hands[games, seats, kinds] -= 1
        left = self.hands[games, seats, kinds]
        self.held[games, seats] ^= (left == 0).astype(np.uint32) << kinds
        self.sizes[games, seats] -= np.uint8(1)

    def take_up(self, games: Index, seats: Int8, kinds: UInt8) -> None:
        """Moves the top cards of the discard piles, of these kinds, to these seats' hands."""
        assert self.moves is not None
        self.hands[games, seats, kinds] += 1
        self.held[games, seats] |= np.uint32(1) << kinds
        self.sizes[games, seats] += np.uint8(1)
        self.discarded[games, kinds] -= 1
        before = self.moves.actions.take(games, axis=0)
        plays = (before >= PLAY) & (before < self.rules.keep)
        place = np.where(plays, np.arange(before.shape[1]), -1).max(axis=1)
        card = before[np.arange(len(games)), place] - np.uint8(PLAY)
        self.top[games] = np.where(place >= 0, card, self.start[games])

    # What is legal

    def offer(self) -> None:
        """Offers playable cards, draw, quit (LAMA-5); or returns and keep (LAMA-25)."""
        self.legal_bits = self.turn_bits()
        for_other = self.phase.nonzero()[0]
        if len(for_other):
            self.offer_otherwise(for_other)

    def turn_bits(self) -> Int:
        """Returns the actions of an ordinary turn as bits; undefined for finished games.

        No draw from an empty pile (LAMA-11) or when alone in the round (LAMA-16, -19). Players may
        always quit (LAMA-9, LAMA-12, LAMA-13).
        """
        held = entries(self.held, np.arange(len(self)), self.seat).astype(self.bits, copy=False)
        legal = (held << PLAY) & self.follows[self.top]
        draw = several(self.active_bits) & (self.drawn < self.decks.shape[1])
        legal |= draw.astype(np.uint8) << DRAW | 1 << QUIT
        return legal

    def offer_otherwise(self, games: Index) -> None:
        """Sets the legal actions of games that are not at an ordinary turn."""
        self.legal_bits[games] = 0
        self.offer_returns(games[self.phase[games] == RETURN])

    def offer_returns(self, games: Index) -> None:
        """The player may return a token, or none (COM-11, COM-12, LAMA-29)."""
        back = self.returnable(games, self.seat[games])
        bits = np.full(len(games), 1 << self.rules.keep, self.bits)
        for place in range(back.shape[1]):
            bits |= back[:, place].astype(self.bits) << self.rules.keep + 1 + place
        self.legal_bits[games] = bits

    @property
    def legal(self) -> Bool:
        return as_flags(self.offered().legal_bits, len(self.rules.notation))

    def is_legal(self, actions: Int) -> Bool:
        found: Bool = (self.offered().legal_bits >> actions & self.bits(1)) != 0
        return found

    def nth_legal(self, words: UInt32) -> Int:
        bits = self.offered().legal_bits
        return nth_bit(bits, nth_share(words, np.bitwise_count(bits)))

    def penalty(self, games: Index) -> Int16:
        """Each value in hand counts once (LAMA-21, LAMA-22); an empty hand scores nothing."""
        held = self.held.take(games, axis=0)
        return scores(self.rules.penalty, len(self.rules.kinds)).take(held)


@cache
def scores(penalty: Callable[[list[int]], int], kinds: int) -> Int16:
    """Returns the penalty of a hand by the kinds in it, as bits."""
    hands = as_flags(np.arange(1 << kinds), kinds)
    return np.array([penalty(hand) for hand in hands.astype(int).tolist()], np.int16)
