"""Cards in hands, on draw piles and discard piles: dealing, redealing and observing them.

Functions have the names of those in `arena.games.rules.cards`, and act on the given games.
"""

from typing import ClassVar

import numpy as np

from arena.games.batch.arrays import Index, Int8, UInt8, UInt32, counted, entries
from arena.games.batch.chance import HIDDEN, sorted_by_chance, stream
from arena.games.batch.games import Games
from arena.games.batch.rounds import Known, by_place
from arena.games.decisions import Decisions
from arena.games.rules.cards import HAND, CardGame


class CardGames(Games):
    """Hands and two piles, in N games."""

    rules: ClassVar[type[CardGame]]
    state = (*Games.state, "decks", "drawn", "hands", "held", "sizes", "discarded", "top", "start")

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

    def set_up(self) -> None:
        super().set_up()
        count, kinds = len(self), len(self.rules.kinds)
        self.deck = np.array(self.rules.deck, np.uint8)
        self.decks = np.zeros((count, len(self.deck)), np.uint8)
        self.drawn, self.top, self.start = np.zeros((3, count), np.uint8)
        self.hands = np.zeros((count, self.seats, kinds), np.uint8)
        self.held = np.zeros((count, self.seats), np.uint32)
        self.sizes = np.zeros((count, self.seats), np.uint8)
        self.discarded = np.zeros((count, kinds), np.uint8)

    def fill(self, decisions: Decisions) -> None:
        """Fills the own hand, public cards, and the numbers of cards of others and the pile."""
        super().fill(decisions)
        games = np.arange(len(self))
        self.hands[games, self.seat] = decisions.column("hand")
        self.held[games, self.seat] = kinds_held(self.hands[games, self.seat])
        self.sizes[:] = decisions.column("hand_sizes")
        self.top[:], self.start[:] = decisions.column("top"), decisions.column("start")
        self.drawn[:] = self.decks.shape[1] - decisions.column("pile")
        np.add.at(self.discarded, (games, self.start), 1)

    def make_deck(self) -> UInt8:
        return self.deck

    def deal_cards(self, games: Index, decks: UInt8) -> None:
        """Deals six cards to each player and turns over the next (LAMA-3, PARTY-3, KAD-5). The
        start card has no effect, because no player played it (LAMA-4, PARTY-9, KAD-6)."""
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

    def give_card(self, games: Index, seats: Int8) -> None:
        """Moves the top cards of the piles to these seats' hands (LAMA-10)."""
        drawn = self.drawn[games]
        kinds = entries(self.decks, games, drawn)
        self.drawn[games] = drawn + np.uint8(1)
        hands = self.seat_index(games, seats)
        self.hands.reshape(-1)[hands * self.hands.shape[2] + kinds] += 1
        self.held.reshape(-1)[hands] |= np.uint32(1) << kinds
        self.sizes.reshape(-1)[hands] += 1

    # Hidden cards

    def deal_hidden(self, games: Index) -> None:
        """Shuffles the others' cards and the pile together (INFO-2). Sizes do not change."""
        seen = entries(self.hands, games, self.seat[games]) + self.discarded.take(games, axis=0)
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
        The pile is already in place at the end of the deck."""
        own = (np.arange(len(games)), self.seat[games])
        sizes = self.sizes.take(games, axis=0)
        sizes[own] = 0
        ends = first + sizes.T.cumsum(axis=0, dtype=np.uint8)
        places = np.arange(self.decks.shape[1], dtype=np.uint8)
        seats = sum((places >= end[:, None]).view(np.uint8) for end in ends)
        hidden = (places >= first[:, None]) & (places < ends[-1][:, None])
        rows = np.nonzero(hidden)[0] * self.seats + seats[hidden]
        shape = (len(games), *self.hands.shape[1:])
        cells = rows * shape[2] + self.decks.take(games, axis=0)[hidden]
        hands = np.bincount(cells, minlength=np.prod(shape)).astype(np.uint8).reshape(shape)
        hands[own] = entries(self.hands, games, self.seat[games])
        self.hands[games] = hands
        self.held[games] = kinds_held(hands)

    def known(self) -> Known:
        """Adds the own hand, public cards, and the numbers of cards of others and the pile."""
        cards = self.rules.kinds
        hand = entries(self.hands, np.arange(len(self)), self.seat)
        return [
            *super().known(),
            ([f"hand {card}" for card in cards], hand),
            ([f"top {card}" for card in cards], self.top[:, None] == np.arange(len(cards))),
            ([f"discarded {card}" for card in cards], self.discarded),
            (by_place(self.seats, ["cards"]), self.turned(self.sizes)),
            (["pile"], self.decks.shape[1] - self.drawn.astype(np.int16)[:, None]),
        ]


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
