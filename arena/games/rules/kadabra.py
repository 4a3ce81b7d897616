"""LLAMA Kadabra: special cards, a magic token, and a stage that fills with tokens."""

from itertools import compress
from typing import Final

from arena.games.rules.cards import HAND
from arena.games.rules.game import MAX_ROUNDS
from arena.games.rules.kadabra_cards import (
    GIVE,
    KINDS,
    LLAMA,
    LLAMA_VALUE,
    NEXT_DRAWS,
    SPECIALS,
    TAKE_MAGIC,
    VALUES,
    deck_of,
)
from arena.games.rules.kadabra_tokens import POOL, STAGE, MagicGame
from arena.games.rules.shedding import DRAW, PLAY, QUIT
from arena.games.rules.tokens import TEN, Tokens, tokens_in
from arena.games.rules.view import View

SHOW_AT: Final = 5  # tokens on the stage

# Actions
FIRST_GIVE: Final = PLAY + len(KINDS) + 3  # the first action after "keep" and two returns
SWAP: Final = FIRST_GIVE + 5
COLLECT: Final = FIRST_GIVE + 6
RETURN_MAGIC: Final = FIRST_GIVE + 7


class Kadabra(MagicGame):
    """60 cards (KAD-1); white and black tokens, and one magic token (KAD-2)."""

    name = "kadabra"
    title = "LLAMA Kadabra"
    ruleset = "kadabra/1"
    typical_decisions = (71, 91, 103, 116, 119)
    known_options = {"max_rounds": MAX_ROUNDS, "kadabra.specials": SPECIALS}  # noqa: RUF012
    phases = ("turn", "return", "show", "give")

    __slots__ = ()

    def make_deck(self) -> tuple[int, ...]:
        """The deck with this match's special cards."""
        return deck_of(self.options["kadabra.specials"])

    def deal_cards(self, deck: list[int]) -> None:
        """Tokens of players and stage stay (KAD-53, KAD-61), but a show ends (KAD-39)."""
        super().deal_cards(deck)
        self.armed = self.last_card = False

    # Turns

    def begin_turn(self, seat: int) -> None:
        """A llama starts a show if the stage has five tokens or more (KAD-38, KAD-46). Players who
        have quit have no turns, so they take no part in a show (KAD-47)."""
        if self.armed:
            self.begin_show(seat)
        else:
            self.begin_usual_turn(seat)

    def begin_usual_turn(self, seat: int) -> None:
        """An ordinary turn (KAD-13, -14, -16, -60), plus the actions with tokens."""
        super().begin_turn(seat)
        self.legal_actions += self.extra_actions(seat)

    def begin_show(self, seat: int) -> None:
        """They play a llama or collect the stage (KAD-40, -41, -42), even when alone (KAD-48). They
        cannot quit or draw before (KAD-45). The top card is a llama (KAD-51)."""
        self.seat, self.phase = seat, "show"
        llama = (PLAY + LLAMA,) if self.hands[seat][LLAMA] else ()
        self.legal_actions = (*llama, COLLECT, *self.extra_actions(seat))

    def extra_actions(self, seat: int) -> tuple[int, ...]:
        """They may swap whites and, unless alone, return the magic token (KAD-15, KAD-44)."""
        magic = (RETURN_MAGIC,) if self.magic == seat and self.in_round > 1 else ()
        return magic + self.swap_actions(seat)

    def swap_actions(self, seat: int) -> tuple[int, ...]:
        """A player may swap ten whites at any of their decisions (KAD-17)."""
        return (SWAP,) if self.tokens[seat].whites >= TEN else ()

    def special(self, action: int) -> None:
        """Carries out an action that only this game has."""
        if action == SWAP:
            self.swap()
        elif action == COLLECT:
            self.collect()
        elif action == RETURN_MAGIC:
            self.return_magic()
        else:
            self.give_token((self.seat + action - FIRST_GIVE + 1) % self.seats)

    def swap(self) -> None:
        """Ten whites become a black, only by choice (KAD-18). The decision is then repeated."""
        self.tokens[self.seat].swap()
        if self.phase == "give":
            self.begin_give()
        else:
            self.begin_turn(self.seat)

    def collect(self) -> None:
        """The player takes all tokens from the stage. The show ends, a turn follows (KAD-43)."""
        self.stage.move_all(self.tokens[self.seat])
        if self.magic == STAGE:
            self.magic = self.seat
        self.armed = False
        self.count_points()
        self.begin_usual_turn(self.seat)

    def return_magic(self) -> None:
        """The magic token returns to the pool. This ends the turn, but not a show (KAD-15, -44)."""
        self.last_actor = self.seat
        self.magic = POOL
        self.begin_turn(self.next_active())

    # Cards and their actions

    def after_play(self, kind: int) -> None:
        """The card's action is always carried out (KAD-20, -29, -30, -35)."""
        self.last_card = not self.sizes[self.seat]
        icon = self.kinds[kind][-1]
        if kind == LLAMA:
            self.place_on_stage()
        elif icon == GIVE and self.has_token() and self.receivers():
            self.begin_give()
            return
        elif icon == NEXT_DRAWS:
            self.next_draws()
        elif icon == TAKE_MAGIC:
            self.take_magic()
        self.finish_play()

    def finish_play(self) -> None:
        """A last card ends the round, but only after its action (KAD-30, -31, -32, -33, -55)."""
        if not self.last_card:
            self.begin_turn(self.next_active())
            return
        if not self.sizes[self.seat]:  # if alone and made to draw, they have a card again (KAD-34)
            self.went_out = self.seat
        self.end_play()

    def place_on_stage(self) -> None:
        """The player of a llama must place their lowest token, if they have any (KAD-36, KAD-49).

        The magic token counts towards a show like any other (KAD-37). The rule also applies to a
        last card; the round is then over and the tokens stay on the stage (KAD-52, KAD-54).
        """
        if self.tokens[self.seat].count:
            self.tokens[self.seat].move_lowest(self.stage)
            self.count_points()
        elif self.magic == self.seat:
            self.magic = STAGE
        self.armed = self.stage.count + (self.magic == STAGE) >= SHOW_AT

    def receivers(self) -> list[int]:
        """Returns the distances to the left of other players in the round (KAD-14, KAD-21)."""
        return [k for k in range(1, self.seats) if self.active[(self.seat + k) % self.seats]]

    def begin_give(self) -> None:
        """The player chooses who gets their lowest token (KAD-21), if anyone can (KAD-22)."""
        self.phase = "give"
        gives = [FIRST_GIVE + k - 1 for k in self.receivers()]
        self.legal_actions = (*gives, *self.swap_actions(self.seat))

    def give_token(self, receiver: int) -> None:
        """Gives a white before a black before the magic token (KAD-21, KAD-23)."""
        if self.tokens[self.seat].count:
            self.tokens[self.seat].move_lowest(self.tokens[receiver])
            self.count_points()
        else:
            self.magic = receiver
        self.finish_play()

    def next_draws(self) -> None:
        """The next active player draws a card, or the player if alone (KAD-24, -25, -26)."""
        if self.drawn < len(self.log.deck):
            self.give_card(self.next_active())

    def take_magic(self) -> None:
        """They take the magic token from any place, even from a player who quit (KAD-27, KAD-28).
        This can leave too few tokens on the stage for a show (KAD-50)."""
        self.magic = self.seat

    # Around the rules

    def default_action(self) -> int:
        """Collect in a show, else quit; give to the left; return the highest token (COM-16)."""
        if self.phase == "show":
            return COLLECT
        return self.legal_actions[0] if self.phase == "give" else super().default_action()

    def restore_cards(self, view: View) -> list[tuple[int, int]]:
        """Also sets all tokens, and whether a show or a last card's action is in progress."""
        hidden = super().restore_cards(view)
        self.tokens = tokens_in(view)
        self.count_points()
        self.stage = Tokens(sum(view.stage[:1]), sum(view.stage[1:]))
        seats = {str(seat): seat for seat in range(self.seats)}
        self.magic = ({"stage": STAGE} | seats).get(view.magic, POOL)
        self.armed = view.ask == "show"
        self.last_card = not self.sizes[view.seat]
        return hidden

    def drawers(self) -> list[int]:
        """Includes players who were made to draw (KAD-24, -25, -26)."""
        drawers: list[int] = []
        pile, active = len(self.log.deck) - HAND * self.seats - 1, [True] * self.seats
        for seat, action in self.log.moves:
            made_to_draw = PLAY <= action < self.keep and self.notation[action][-1] == NEXT_DRAWS
            if action == QUIT:
                active[seat] = False
            elif action == DRAW:
                drawers.append(seat)
            elif made_to_draw and len(drawers) < pile:
                left = [(seat + k) % self.seats for k in range(1, self.seats)]
                drawers.append(next((other for other in left if active[other]), seat))
        return drawers

    def begin_phase(self, phase: str) -> None:
        if phase == "give":
            self.begin_give()
        else:
            super().begin_phase(phase)

    @classmethod
    def penalty(cls, hand: list[int]) -> int:
        """Each value counts once, both values of a double card; all llamas count 10 (KAD-56)."""
        values = set[int]().union(*compress(VALUES, hand))
        return sum([TEN if value == LLAMA_VALUE else value for value in values])
