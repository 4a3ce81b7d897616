"""The base of the card games: play a card, draw one, or quit; an empty hand ends the round.

A game defines data (`kinds`, `deck`, `follows`, `returns`) and the methods whose rules differ.
Rule IDs are LAMA's; the other games have the same rules unless they override them.
"""

from typing import ClassVar, Final

from arena.games.rules.cards import HAND, CardGame
from arena.games.rules.errors import BadDeck, BadView
from arena.games.rules.game import MOST_SEATS
from arena.games.rules.rounds import NOBODY
from arena.games.rules.view import View

# Actions; PLAY + k plays a card of kind k.
QUIT: Final = 0
DRAW: Final = 1
PLAY: Final = 2


class SheddingGame(CardGame):
    """A game of playing, drawing and quitting."""

    follows: ClassVar[tuple[tuple[int, ...], ...]]  # by top kind: kinds that may be played on it
    extra: ClassVar[tuple[str, ...]] = ()  # actions of this game only, after `returns`

    __slots__ = ()

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

    # The end of a round

    def end_play(self) -> None:
        """All players score, quit or not (LAMA-22); an empty hand scores nothing (COM-13)."""
        self.log.final_hands = [list(hand) for hand in self.hands]
        self.score([self.penalty(hand) for hand in self.hands])

    def default_action(self) -> int:
        """Quit, or return the highest token (COM-16)."""
        return QUIT if self.phase == "turn" else self.legal_actions[-1]

    # Sampling

    def restore_cards(self, view: View) -> list[tuple[int, int]]:
        """Lays out the seat's hand and the discard pile. It does not matter which cards a seat was
        dealt and which it drew, so its plays come first."""
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
