"""The base of the card games: play a card, draw one, or quit; an empty hand ends the round.

A game defines data (`kinds`, `deck`, `follows`, `returns`) and the methods whose rules differ.
Rule IDs are LAMA's; the other games have the same rules unless they override them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import ClassVar, Final, Self

from arena.games.rules.errors import BadDeck, BadView
from arena.games.rules.game import MOST_SEATS, NOBODY, Game, RoundLog
from arena.games.rules.rows import padded
from arena.games.rules.view import View

HAND: Final = 6  # cards dealt to each player
# Actions; PLAY + k plays a card of kind k.
QUIT: Final = 0
DRAW: Final = 1
PLAY: Final = 2

# Moves in bytes, by seat and action.
MOVE_CODES: Final = tuple(
    [tuple([bytes((seat, action)) for action in range(256)]) for seat in range(MOST_SEATS)]
)


class SheddingGame(Game):
    """A game of playing, drawing and quitting. Cards are kinds: indices into `kinds`."""

    values: ClassVar[tuple[int, ...]]  # penalty points by kind; each value counts once
    follows: ClassVar[tuple[tuple[int, ...], ...]]  # by top kind: kinds that may be played on it
    extra: ClassVar[tuple[str, ...]] = ()  # actions of this game only, after `returns`

    hands: list[list[int]]  # number of cards, by seat and kind

    __slots__ = ("drawn", "hands", "sizes", "start", "top")

    def __init_subclass__(cls) -> None:
        """Sets the notation: quit, draw, a play for each kind, keep, returns, extra actions."""
        super().__init_subclass__()
        if any(not 0 <= kind < len(cls.kinds) for kind in cls.deck):
            raise BadDeck(f"The deck of {cls.title} has a card that is not one of its kinds.")
        if len(cls.deck) <= HAND * MOST_SEATS:
            raise BadDeck(f"The deck of {cls.title} is too small for {MOST_SEATS} seats.")
        plays = [f"play {kind}" for kind in cls.kinds]
        returns = [f"return {token}" for token in cls.returns]
        cls.name_actions("quit", "draw", *plays, "keep", *returns, *cls.extra)
        playable = max(len(kinds) for kinds in cls.follows)
        cls.most_legal = max(2 + playable + len(cls.extra), 1 + len(cls.returns))

    # A round

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

    def begin_turn(self, seat: int) -> None:
        """A player may play, draw or quit (LAMA-5): playable cards, draw, quit, in that order.

        They may draw or quit even with a playable card (LAMA-9, LAMA-12, LAMA-18), and must quit
        if nothing else is possible (LAMA-13, LAMA-17).
        """
        self.seat, self.phase = seat, "turn"
        hand = self.hands[seat]
        legal = [PLAY + kind for kind in self.follows[self.top] if hand[kind]]
        if self.may_draw():
            legal.append(DRAW)
        legal.append(QUIT)
        self.legal_actions = tuple(legal)

    def may_draw(self) -> bool:
        """Whether the pile has cards (LAMA-11) and the player is not alone (LAMA-16, -19)."""
        return self.in_round > 1 and self.drawn < len(self.log.deck)

    def perform(self, action: int) -> None:
        """Carries out the player's action."""
        if action < self.keep:
            self.last_actor = self.seat
            if action >= PLAY:
                self.play(action - PLAY)
            elif action == DRAW:
                self.draw()
            else:
                self.quit()
        elif action <= self.keep + len(self.returns):
            self.give_back(action)
        else:
            self.special(action)

    def special(self, action: int) -> None:
        """Carries out an action of `extra`."""
        raise NotImplementedError(self.notation[action])

    def play(self, kind: int) -> None:
        """The player puts one card on the discard pile (LAMA-8)."""
        seat = self.seat
        self.hands[seat][kind] -= 1
        self.sizes[seat] -= 1
        self.top = kind
        self.after_play(kind)

    def after_play(self, kind: int) -> None:
        """A last card ends the round, even if alone (LAMA-14, LAMA-20); else the turn passes."""
        if self.sizes[self.seat]:
            self.begin_turn(self.turn_after(kind))
        else:
            self.went_out = self.seat
            self.end_play()

    def turn_after(self, kind: int) -> int:
        """Returns the seat to act after a card of this kind was played."""
        return self.next_active()

    def draw(self) -> None:
        """The player takes the top card of the pile, which ends their turn (LAMA-10)."""
        self.give_card(self.seat)
        self.begin_turn(self.next_active())

    def give_card(self, seat: int) -> None:
        """Moves the top card of the pile to a seat's hand."""
        self.hands[seat][self.log.deck[self.drawn]] += 1
        self.sizes[seat] += 1
        self.drawn += 1

    def clone(self) -> Self:
        """Returns an independent copy."""
        other = super().clone()
        other.hands = [list(hand) for hand in self.hands]
        other.sizes = list(self.sizes)
        other.drawn = self.drawn
        other.top = self.top
        other.start = self.start
        return other

    # The end of a round

    def end_play(self) -> None:
        """All players score, quit or not (LAMA-22); an empty hand scores nothing (COM-13)."""
        self.log.final_hands = [list(hand) for hand in self.hands]
        self.score([self.penalty(hand) for hand in self.hands])

    def default_action(self) -> int:
        """Quit, or return the highest token (COM-16)."""
        return QUIT if self.phase == "turn" else self.legal_actions[-1]

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

    def restore_cards(self, view: View) -> list[tuple[int, int]]:
        """Lays out the seat's hand and the discard pile.

        It does not matter which cards a seat was dealt and which it drew, so its plays come first.
        """
        deck, start = self.log.deck, self.count_cards([view.start]).index(1)
        places = self.places_drawn()
        self.hands = [[0] * len(self.kinds) for _ in range(self.seats)]
        self.start = self.top = start
        deck[HAND * self.seats] = start
        for seat, action in self.log.moves:
            if PLAY <= action < self.keep:
                if not places[seat]:
                    raise BadView(f"Seat {seat} has played more cards than it had.")
                self.top = action - PLAY
                deck[places[seat].pop(0)] = self.top
        self.sizes = [len(held) for held in places]
        self.hands[view.seat] = self.count_cards(view.hand)
        if len(view.hand) != self.sizes[view.seat]:
            raise BadView(
                f"Seat {view.seat} has {len(view.hand)} cards. "
                f"According to the round's moves, it has {self.sizes[view.seat]}."
            )
        for place, card in zip(places[view.seat], view.hand, strict=True):
            deck[place] = self.kinds.index(card)
        places[view.seat] = []
        in_hands = [(place, seat) for seat, held in enumerate(places) for place in held]
        return in_hands + [(place, NOBODY) for place in range(self.drawn, len(deck))]

    def places_drawn(self) -> list[list[int]]:
        """Returns by seat the places in the deck of all cards it got, in order."""
        places = [list(range(HAND * seat, HAND * seat + HAND)) for seat in range(self.seats)]
        self.drawn = HAND * self.seats + 1
        for seat in self.drawers():
            places[seat].append(self.drawn)
            self.drawn += 1
        if self.drawn > len(self.log.deck):
            raise BadView("More cards were drawn than the draw pile had.")
        return places

    def drawers(self) -> list[int]:
        """Returns the seat that got each card drawn in this round, in order."""
        return [seat for seat, action in self.log.moves if action == DRAW]

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
