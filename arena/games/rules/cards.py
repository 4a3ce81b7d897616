"""Cards in hands, on a draw pile and a discard pile: dealing, views and records."""

from functools import lru_cache
from itertools import chain
from typing import ClassVar, Final, Self

from arena.games.rules.game import MOST_SEATS, Game
from arena.games.rules.rounds import NOBODY, RoundLog
from arena.games.rules.rows import padded
from arena.games.rules.view import View

HAND: Final = 6  # cards dealt to each player

# Moves in bytes, by seat and action.
MOVE_CODES: Final = tuple(
    [tuple([bytes((seat, action)) for action in range(256)]) for seat in range(MOST_SEATS)]
)


class CardGame(Game):
    """A game with hands and two piles. Cards are kinds: indices into `kinds`."""

    values: ClassVar[tuple[int, ...]]  # penalty points by kind; each value counts once

    hands: list[list[int]]  # number of cards, by seat and kind

    __slots__ = ("drawn", "hands", "sizes", "start", "top")

    def deal_cards(self, deck: list[int]) -> None:
        """Deals six cards to each player and turns over the next (LAMA-3, PARTY-3, KAD-5).

        Seat 0 gets the top six cards, seat 1 the next six, and so on. The start card has no
        effect, because no player played it (LAMA-4, PARTY-9, KAD-6).
        """
        self.hands = []
        for seat in range(self.seats):
            hand = [0] * len(self.kinds)
            for place in range(HAND * seat, HAND * seat + HAND):
                hand[deck[place]] += 1
            self.hands.append(hand)
        self.sizes = [HAND] * self.seats
        self.drawn = HAND * self.seats + 1  # cards taken from the deck so far
        self.top = deck[self.drawn - 1]
        self.start = self.top

    def give_card(self, seat: int) -> None:
        """Moves the top card of the pile to a seat's hand."""
        self.hands[seat][self.log.deck[self.drawn]] += 1
        self.sizes[seat] += 1
        self.drawn += 1

    def clone(self) -> Self:
        other = super().clone()
        other.hands = [list(hand) for hand in self.hands]
        other.sizes = list(self.sizes)
        other.drawn = self.drawn
        other.top = self.top
        other.start = self.start
        return other

    # Views and records

    def cards(self, hand: list[int]) -> tuple[str, ...]:
        """Returns the cards of a hand in notation, ascending."""
        return named(self.kinds, tuple(hand))

    def view(self, match: str = "", number: int = 0) -> View:
        """Returns the seat's information (INFO-1): no other hand and no card of the pile."""
        kinds, log, seat = self.kinds, self.log, self.seat
        hand = self.hands[seat]
        # Positional, in the order of View's fields: keywords would take twice as long.
        return View(
            match,
            number,
            self.name,
            self.changed_options,
            log.number,
            self.phase,
            seat,
            log.starter,
            self.cards(hand),
            self.penalty(hand),
            tuple(self.sizes),
            tuple(self.active),
            tuple(self.points),
            kinds[self.start],
            kinds[self.top],
            len(log.deck) - self.drawn,
            ", ".join(self.history),
            in_words(self.notation, self.legal_actions),
            self.legal_actions,
        )

    def packed(self, match: bytes, number: int) -> tuple[bytes, bytes]:
        """Returns `view` as a row of bytes, and the round's moves."""
        log, seat, codes = self.log, self.seat, self.move_codes()
        hand, moves, played = self.hands[seat], len(codes), log.number
        numbers = [
            number & 255,
            number >> 8,
            played & 255,
            played >> 8,
            self.phases.index(self.phase),
            seat,
            log.starter,
            self.penalty(hand),
            self.start,
            self.top,
            len(log.deck) - self.drawn,
        ]
        row = (
            bytes([moves & 255, moves >> 8]),
            match,
            bytes(numbers),
            bytes(self.active),
            bytes(self.sizes),
            bytes(self.points),
            bytes(hand),
            padded(self.legal_actions, self.most_legal),
            self.more_packed(),
        )
        return b"".join(row), codes

    def more_packed(self) -> bytes:
        return b""

    def move_codes(self) -> bytes:
        """Returns the round's moves in bytes. The result of the last call is extended."""
        moves, codes = self.log.moves, self.codes
        for place in range(len(codes) // 2, len(moves)):
            seat, action = moves[place]
            codes += MOVE_CODES[seat][action]
        self.codes = codes
        return codes

    def deal_hidden(self, hidden: list[tuple[int, int]], cards: list[int]) -> None:
        """Deals the other hands and the pile."""
        super().deal_hidden(hidden, cards)
        for (_, seat), card in zip(hidden, cards, strict=True):
            if seat != NOBODY:
                self.hands[seat][card] += 1

    def round_start(self, log: RoundLog) -> dict[str, object]:
        """Returns the hands in the order dealt, the start card, and the pile, top card first."""
        names = [self.kinds[kind] for kind in log.deck]
        dealt = HAND * self.seats
        return {
            "hands": [names[HAND * s : HAND * s + HAND] for s in range(self.seats)],
            "top": names[dealt],
            "pile": names[dealt + 1 :],
        }

    def final_hands(self, log: RoundLog) -> list[tuple[str, ...]]:
        """Returns the hands at scoring, sorted; empty while the round is in progress."""
        return [self.cards(hand) for hand in log.final_hands]

    @classmethod
    def penalty(cls, hand: list[int]) -> int:
        """Each value in hand counts once, so the maximum is 31 (LAMA-21)."""
        points, values = 0, cls.values
        for kind, count in enumerate(hand):
            if count:
                points += values[kind]
        return points


@lru_cache(16_384)
def named(kinds: tuple[str, ...], hand: tuple[int, ...]) -> tuple[str, ...]:
    """Returns the cards of a hand in notation; `hand` counts each kind. Cached."""
    held = [[kind] * count for kind, count in zip(kinds, hand, strict=True)]
    return tuple(chain.from_iterable(held))


@lru_cache(16_384)
def in_words(notation: tuple[str, ...], actions: tuple[int, ...]) -> tuple[str, ...]:
    """Returns these actions in notation. Cached."""
    return tuple([notation[action] for action in actions])
