"""The base of the card games: play a card, draw one, or quit; an empty hand ends the round.

Functions have the names of those in `arena.games.rules.shedding`, and act on the given games. Rule
IDs are LAMA's. Kinds of cards and actions have the same numbers.
"""

from __future__ import annotations

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
    counted,
    nth_bit,
    nth_share,
    several,
)
from arena.games.batch.chance import HIDDEN, sorted_by_chance, stream
from arena.games.batch.decision_columns import DecisionColumns
from arena.games.batch.games import Games
from arena.games.batch.observation import Known, by_place
from arena.games.batch.rounds import RETURN, TURN
from arena.games.rules.game import NOBODY
from arena.games.rules.shedding import DRAW, HAND, PLAY, QUIT, SheddingGame


class SheddingGames(Games):
    """Rounds of playing, drawing and quitting, in N games."""

    rules: ClassVar[type[SheddingGame]]
    bits: ClassVar[type[np.unsignedinteger]] = np.uint32  # holds one bit for each action
    state = (
        *Games.state,
        "decks",
        "drawn",
        "hands",
        "held",
        "sizes",
        "discarded",
        "top",
        "start",
        "legal_bits",
    )

    # Card kinds, top card first, as shuffled for this round, (N, D); hidden. After `determinize`,
    # only the cards still in the pile are in place.
    decks: UInt8
    drawn: UInt8  # (N,): cards taken from the deck so far
    hands: UInt8  # (N, seats, K): number of cards by kind; others' hands are hidden
    held: UInt32  # (N, seats): bit k is set while the hand has a card of kind k; hidden
    sizes: UInt8  # (N, seats): cards in hand
    discarded: UInt8  # (N, K): cards on the discard pile by kind, with the start card
    top: UInt8  # (N,): the kind to play on
    start: UInt8  # (N,): the kind of the start card
    legal_bits: Int  # (N,): bit a is set while action a is legal

    def set_up(self) -> None:
        """Creates the arrays, and the bits of the kinds that may follow each kind."""
        super().set_up()
        count, kinds = len(self), len(self.rules.kinds)
        self.deck = np.array(self.rules.deck, np.uint8)
        self.decks = np.zeros((count, len(self.deck)), np.uint8)
        self.drawn, self.top, self.start = np.zeros((3, count), np.uint8)
        self.hands = np.zeros((count, self.seats, kinds), np.uint8)
        self.held = np.zeros((count, self.seats), np.uint32)
        self.sizes = np.zeros((count, self.seats), np.uint8)
        self.discarded = np.zeros((count, kinds), np.uint8)
        self.legal_bits = np.zeros(count, self.bits)
        follows = [sum(1 << PLAY + kind for kind in after) for after in self.rules.follows]
        self.follows = np.array(follows, self.bits)

    def fill(self, decisions: DecisionColumns) -> None:
        """Fills the own hand, public cards, and the numbers of cards of others and the pile."""
        super().fill(decisions)
        games, kinds = np.arange(len(self)), len(self.rules.kinds)
        self.hands[games, self.seat] = decisions.column("hand")
        self.held[games, self.seat] = kinds_held(self.hands[games, self.seat])
        self.sizes[:] = decisions.column("hand_sizes")
        self.top[:], self.start[:] = decisions.column("top"), decisions.column("start")
        self.drawn[:] = self.decks.shape[1] - decisions.column("pile")
        whose, moves = decisions.played()
        cards = moves[:, 1].astype(np.intp) - PLAY
        plays = np.flatnonzero((cards >= 0) & (cards < kinds))
        np.add.at(self.discarded, (games, self.start), 1)
        np.add.at(self.discarded, (whose[plays], cards[plays]), 1)
        self.note_plays(whose[plays], moves[plays, 0].astype(np.int8))

    def note_plays(self, games: Index, seats: Int8) -> None:
        """Hook: these seats played cards in these games (M,), in the order of the moves."""

    def begin_matches(self, games: Index) -> None:
        """Every player starts without points (LAMA-2)."""

    def make_deck(self) -> UInt8:
        """Returns the game's deck."""
        return self.deck

    def deal_cards(self, games: Index, decks: UInt8) -> None:
        """Deals six cards to each player and turns over the next (LAMA-3, PARTY-3, KAD-5).

        The start card has no effect, because no player played it (LAMA-4, PARTY-9, KAD-6).
        """
        dealt = HAND * self.seats
        self.decks[games] = decks
        hands = decks[:, :dealt].reshape(len(games), self.seats, HAND)
        self.hands[games] = counted(hands, self.hands.shape[2])
        self.held[games] = kinds_of(hands)
        self.sizes[games] = HAND
        self.drawn[games] = dealt + 1
        self.top[games] = self.start[games] = decks[:, dealt]
        self.discarded[games] = 0
        self.discarded[games, decks[:, dealt]] = 1

    # Decisions

    def perform(self, actions: Int) -> None:
        """Carries out actions; `arena.games.rules` describes them."""
        keep = self.rules.keep
        plays = np.flatnonzero((actions >= PLAY) & (actions < keep))
        draws, quits = np.flatnonzero(actions == DRAW), np.flatnonzero(actions == QUIT)
        backs = np.flatnonzero((actions >= keep) & (actions <= keep + len(self.rules.returns)))
        passing, over = self.play(plays, actions[plays] - PLAY)
        self.give_card(draws, self.seat[draws])
        last = self.quit(quits)
        self.pass_turn(np.concatenate((passing, draws, quits[~last])))
        over = np.concatenate((over, quits[last]))
        self.score(over, self.sizes[over, self.seat[over]] == 0)
        self.give_back(backs, actions[backs] - keep)

    def play(self, games: Index, kinds: UInt8) -> tuple[Index, Index]:
        """The deciding seats play a card each (LAMA-8).

        Returns the games whose turn passes, and those whose round ended with a last card, even if
        alone (LAMA-14, LAMA-20).
        """
        hands = self.seat_index(games, self.seat[games])
        cards = hands * self.hands.shape[2] + kinds
        left = self.hands.reshape(-1)[cards] - np.uint8(1)
        self.hands.reshape(-1)[cards] = left
        self.held.reshape(-1)[hands] ^= (left == 0).astype(np.uint32) << kinds
        self.top[games] = kinds
        self.discarded.reshape(-1)[games * self.discarded.shape[1] + kinds] += 1
        sizes = self.sizes.reshape(-1)[hands] - np.uint8(1)
        self.sizes.reshape(-1)[hands] = sizes
        return self.after_play(games, kinds, sizes == 0)

    def after_play(self, games: Index, kinds: UInt8, empty: Bool) -> tuple[Index, Index]:
        """Returns the same after cards (M,) were played; `empty` (M,) are the empty hands."""
        return games[~empty], games[empty]

    def give_card(self, games: Index, seats: Int8) -> None:
        """Moves the top cards of the piles to these seats' hands (LAMA-10)."""
        drawn = self.drawn[games]
        kinds = self.decks.reshape(-1)[games * self.decks.shape[1] + drawn]
        self.drawn[games] = drawn + np.uint8(1)
        hands = self.seat_index(games, seats)
        self.hands.reshape(-1)[hands * self.hands.shape[2] + kinds] += 1
        self.held.reshape(-1)[hands] |= np.uint32(1) << kinds
        self.sizes.reshape(-1)[hands] += 1

    def returnable(self, games: Index, seats: Int8) -> Bool:
        """Tokens are swapped freely, so only points matter (LAMA-24, LAMA-26, PARTY-33, -34)."""
        held: Bool = self.points[games, seats][:, None] >= np.array(self.rules.returns)
        return held

    def deal_hidden(self, games: Index) -> None:
        """Shuffles the others' cards and the pile together (INFO-2). Sizes do not change."""
        seen = self.hands[games, self.seat[games]] + self.discarded[games]
        self._shuffle_all_but(games, seen)
        self._deal_to_others(games, seen.sum(axis=1, dtype=np.uint8))

    def suppose(self, hands: UInt8) -> None:
        """Sets all hands (N, seats, K), which must have the current sizes, and redraws the pile
        and the future. The result is a state that `determinize` could draw."""
        self.new_seeds()
        self.hands[:], self.held[:] = hands, kinds_held(hands)
        everyone = np.arange(len(self))
        self._shuffle_all_but(everyone, hands.sum(axis=1, dtype=np.uint8) + self.discarded)

    def _shuffle_all_but(self, games: Index, cards: UInt8) -> None:
        """Shuffles the decks except `cards` of each kind (M, K), which are moved to the front."""
        deck = np.sort(self.make_deck())
        copies = np.arange(len(deck)) - np.searchsorted(deck, deck)  # number within its kind
        others = copies >= cards[:, deck]
        start = stream(self.seeds[games], HIDDEN, self.round[games])
        self.decks[games] = sorted_by_chance(start, np.broadcast_to(deck, others.shape), others)

    def _deal_to_others(self, games: Index, first: UInt8) -> None:
        """Gives the others the cards of the decks from number `first` (M,) on, in order of seats.

        The pile is already in place at the end of the deck.
        """
        own, sizes = (np.arange(len(games)), self.seat[games]), self.sizes[games]
        sizes[own] = 0
        ends = first + sizes.T.cumsum(axis=0, dtype=np.uint8)
        places = np.arange(self.decks.shape[1], dtype=np.uint8)
        seats = sum((places >= end[:, None]).view(np.uint8) for end in ends)
        hidden = (places >= first[:, None]) & (places < ends[-1][:, None])
        rows = np.nonzero(hidden)[0] * self.seats + seats[hidden]
        shape = (len(games), *self.hands.shape[1:])
        cells = rows * shape[2] + self.decks[games][hidden]
        hands = np.bincount(cells, minlength=np.prod(shape)).astype(np.uint8).reshape(shape)
        hands[own] = self.hands[games, self.seat[games]]
        self.hands[games] = hands
        self.held[games] = kinds_held(hands)

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
        hands = self.hands[games, seats]
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
        before = self.moves.actions[games]
        plays = (before >= PLAY) & (before < self.rules.keep)
        place = np.where(plays, np.arange(before.shape[1]), -1).max(axis=1)
        card = before[np.arange(len(games)), place] - np.uint8(PLAY)
        self.top[games] = np.where(place >= 0, card, self.start[games])

    def known(self) -> Known:
        """Adds the own hand, public cards, and the numbers of cards of others and the pile."""
        cards = self.rules.kinds
        hand = self.hands[np.arange(len(self)), self.seat]
        return [
            *super().known(),
            ([f"hand {card}" for card in cards], hand),
            ([f"top {card}" for card in cards], self.top[:, None] == np.arange(len(cards))),
            ([f"discarded {card}" for card in cards], self.discarded),
            (by_place(self.seats, ["cards"]), self.turned(self.sizes)),
            (["pile"], self.decks.shape[1] - self.drawn.astype(np.int16)[:, None]),
        ]

    # What is legal

    def offer(self) -> None:
        """Offers playable cards, draw, quit (LAMA-5); or returns and keep (LAMA-25)."""
        self.legal_bits = self.turn_bits()
        for_other = np.flatnonzero(self.phase)
        if len(for_other):
            self.offer_otherwise(for_other)

    def turn_bits(self) -> Int:
        """Returns the actions of an ordinary turn as bits; undefined for finished games.

        No draw from an empty pile (LAMA-11) or when alone in the round (LAMA-16, -19). Players may
        always quit (LAMA-9, LAMA-12, LAMA-13).
        """
        deciding = self.seat_index(np.arange(len(self)), self.seat)
        held = self.held.reshape(-1)[deciding].astype(self.bits, copy=False)
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
        return scores(self.rules.penalty, len(self.rules.kinds))[self.held[games]]


@cache
def scores(penalty: Callable[[list[int]], int], kinds: int) -> Int16:
    """Returns the penalty of a hand by the kinds in it, as bits."""
    hands = as_flags(np.arange(1 << kinds), kinds)
    return np.array([penalty(hand) for hand in hands.astype(int).tolist()], np.int16)


def kinds_of(hands: UInt8) -> UInt32:
    """Returns the kinds among the cards of hands (M, seats, C), as bits (M, seats)."""
    # NumPy reduces the first axis much faster than a short last one.
    cards = np.ascontiguousarray(hands.transpose(2, 1, 0))
    held: UInt32 = np.bitwise_or.reduce(np.uint32(1) << cards, axis=0).T
    return held


def kinds_held(hands: UInt8) -> UInt32:
    """Returns the kinds in hands (M, seats, K), as bits (M, seats)."""
    bits = np.uint32(1) << np.arange(hands.shape[-1], dtype=np.uint32)
    held: UInt32 = (hands > 0) @ bits
    return held
