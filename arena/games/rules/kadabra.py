"""LLAMA Kadabra: special cards, a magic token, and a stage that fills with tokens."""

from __future__ import annotations

from functools import lru_cache
from itertools import compress
from typing import Final, Self

from arena.games.rules import rows
from arena.games.rules.game import MAX_ROUNDS
from arena.games.rules.options import Option, is_count
from arena.games.rules.shedding import DRAW, HAND, PLAY, QUIT, SheddingGame
from arena.games.rules.tokens import TEN, Tokens, tokens_in
from arena.games.rules.view import View

# The icons on cards (KAD-3)
GIVE: Final = "o"
NEXT_DRAWS: Final = "#"
TAKE_MAGIC: Final = "*"
COPIES = {1: 8, 2: 7, 3: 7, 4: 7, 5: 7, 6: 8}  # cards of each value, with special ones (KAD-1)
DOUBLES, LLAMAS = 2, 12  # copies of each double card; number of llamas
LLAMA_VALUE: Final = 7

# Values of `magic` if no seat has the token
POOL: Final = -1
STAGE: Final = -2

SHOW_AT: Final = 5  # tokens on the stage
FIRST_WHITES: Final = 3


def all_kinds() -> tuple[str, ...]:
    """Returns every possible card, in the order of a sorted hand. 1s give; others draw or take."""
    kinds: list[str] = []
    for value in COPIES:
        icons = ("", GIVE) if value == 1 else ("", NEXT_DRAWS, TAKE_MAGIC)
        kinds += [f"{value}{icon}" for icon in icons]
        kinds += {2: ["2/3"], 4: ["4/5"]}.get(value, [])
    return (*kinds, "llama")


KINDS: Final = all_kinds()
LLAMA: Final = KINDS.index("llama")
FIRST_GIVE: Final = PLAY + len(KINDS) + 3  # the first action after "keep" and two returns
SWAP: Final = FIRST_GIVE + 5
COLLECT: Final = FIRST_GIVE + 6
RETURN_MAGIC: Final = FIRST_GIVE + 7


def values_of(kind: str) -> tuple[int, ...]:
    """Returns a card's values without its icon (KAD-12): two for double cards, 7 for llamas."""
    if kind == "llama":
        return (LLAMA_VALUE,)
    return tuple(int(value) for value in kind.rstrip(GIVE + NEXT_DRAWS + TAKE_MAGIC).split("/"))


VALUES: Final = tuple(values_of(kind) for kind in KINDS)


def may_follow(card: tuple[int, ...], top: tuple[int, ...]) -> bool:
    """Whether a value of the card equals or follows a value of the top (KAD-8 to KAD-11)."""
    return any(value in (under, under % LLAMA_VALUE + 1) for value in card for under in top)


def normal_specials(text: str) -> str:
    """Validates and sorts the counts of special cards: `1o:8 2#:1 2*:1 ...` (KAD-3, KAD-4)."""
    counts: dict[str, int] = {}
    for word in text.split():
        kind, _, count = word.partition(":")
        special = kind in KINDS and kind[-1] in GIVE + NEXT_DRAWS + TAKE_MAGIC
        if not special or kind in counts or not is_count(count):
            raise ValueError(
                f"takes words like 1o:8 2#:1 3*:1 (a card with an icon, a colon, a count; each "
                f"card once); {word[:20]!r} does not fit"
            )
        counts[kind] = int(count)
    for value, copies in COPIES.items():
        specials = sum(count for kind, count in counts.items() if kind[:-1] == str(value))
        if specials > copies:
            raise ValueError(f"asks for {specials} special {value}s, but the deck has {copies}")
    return " ".join(f"{kind}:{counts[kind]}" for kind in KINDS if counts.get(kind))


SPECIALS = Option(
    default="1o:8 2#:1 2*:1 3#:1 3*:1 4#:1 4*:1 5#:1 5*:1 6#:1 6*:1",
    about="Cards with an icon, and how many of each",
    normalize=normal_specials,
    title="Special cards",
    rare="1o:1 2*:3 3#:3 4*:3 5#:3 6*:3",
)


@lru_cache(maxsize=64)
def deck_of(specials: str) -> tuple[int, ...]:
    """Returns the 60 cards, including these special cards, as sorted kinds."""
    counts = {word.partition(":")[0]: int(word.partition(":")[2]) for word in specials.split()}
    for value, copies in COPIES.items():
        icons = sum(count for kind, count in counts.items() if kind[:-1] == str(value))
        counts[str(value)] = copies - icons
    counts |= {"2/3": DOUBLES, "4/5": DOUBLES, "llama": LLAMAS}
    return tuple(place for place, kind in enumerate(KINDS) for _ in range(counts.get(kind, 0)))


class Kadabra(SheddingGame):
    """60 cards (KAD-1); white and black tokens, and one magic token (KAD-2)."""

    name = "kadabra"
    title = "LLAMA Kadabra"
    ruleset = "kadabra/1"
    typical_decisions = (71, 91, 103, 116, 119)
    known_options = {"max_rounds": MAX_ROUNDS, "kadabra.specials": SPECIALS}  # noqa: RUF012

    kinds = KINDS
    deck = deck_of(SPECIALS.default)
    follows = tuple(
        tuple(kind for kind, card in enumerate(VALUES) if may_follow(card, top)) for top in VALUES
    )
    returns = (1, 10)
    extra = (*(f"give +{places}" for places in range(1, 6)), "swap", "collect", "return magic")
    phases = ("turn", "return", "show", "give")

    __slots__ = ("armed", "last_card", "magic", "stage", "tokens")

    def set_up(self) -> None:
        """Each player takes three whites, once; the stage is empty (KAD-7)."""
        self.tokens = [Tokens(FIRST_WHITES) for _ in range(self.seats)]
        self.stage = Tokens()
        self.magic = POOL
        self.count_points()

    def make_deck(self) -> tuple[int, ...]:
        """The deck with this match's special cards."""
        return deck_of(self.options["kadabra.specials"])

    def deal_cards(self, deck: list[int]) -> None:
        """Tokens of players and stage stay (KAD-53, KAD-61), but a show ends (KAD-39)."""
        super().deal_cards(deck)
        self.armed = self.last_card = False

    def clone(self) -> Self:
        """Returns an independent copy."""
        other = super().clone()
        other.tokens = [tokens.clone() for tokens in self.tokens]
        other.stage = self.stage.clone()
        other.magic = self.magic
        other.armed = self.armed
        other.last_card = self.last_card
        return other

    # Turns

    def begin_turn(self, seat: int) -> None:
        """A llama starts a show if the stage has five tokens or more (KAD-38, KAD-46).

        Players who have quit have no turns, so they take no part in a show (KAD-47).
        """
        if self.armed:
            self.begin_show(seat)
        else:
            self.begin_usual_turn(seat)

    def begin_usual_turn(self, seat: int) -> None:
        """An ordinary turn (KAD-13, -14, -16, -60), plus the actions with tokens."""
        super().begin_turn(seat)
        self.legal_actions += self.extra_actions(seat)

    def begin_show(self, seat: int) -> None:
        """They play a llama or collect the stage (KAD-40, -41, -42), even when alone (KAD-48).

        They cannot quit or draw before (KAD-45). The top card is a llama (KAD-51).
        """
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

    def has_token(self) -> bool:
        """Whether the player has any token, including the magic one."""
        return bool(self.tokens[self.seat].count) or self.magic == self.seat

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

        This can leave too few tokens on the stage for a show (KAD-50).
        """
        self.magic = self.seat

    # The end of a round

    def score(self, penalties: list[int]) -> None:
        """The holder of the magic token scores 10 more; it returns to the pool (KAD-57)."""
        if self.magic >= 0:
            penalties[self.magic] += TEN
            self.magic = POOL
        super().score(penalties)

    def receive(self, seat: int, points: int) -> None:
        """The player takes white and black tokens (KAD-56). The 10 points for the magic token are
        a black (KAD-57)."""
        super().receive(seat, points)
        self.tokens[seat].receive(points)

    def returnable(self, seat: int) -> tuple[int, ...]:
        """A 1 or a 10; ten whites may be swapped first (KAD-58)."""
        return self.tokens[seat].returnable()

    def return_token(self, token: int) -> None:
        """The player returns the token to the pool."""
        super().return_token(token)
        self.tokens[self.seat].give_back(token)

    def count_points(self) -> None:
        """Sets points from tokens. Above 40 during a round, nothing happens (KAD-59)."""
        self.points = [tokens.points for tokens in self.tokens]

    def default_action(self) -> int:
        """Collect in a show, else quit; give to the left; return the highest token (COM-16)."""
        if self.phase == "show":
            return COLLECT
        return self.legal_actions[0] if self.phase == "give" else super().default_action()

    def view(self, match: str = "", number: int = 0) -> View:
        """All players see all tokens, the stage and the magic token."""
        return (
            super()
            .view(match, number)
            ._replace(
                whites=tuple([tokens.whites for tokens in self.tokens]),
                blacks=tuple([tokens.blacks for tokens in self.tokens]),
                stage=(self.stage.whites, self.stage.blacks),
                magic={POOL: "pool", STAGE: "stage"}.get(self.magic, str(self.magic)),
            )
        )

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
        """Asks the deciding seat for a decision of this phase."""
        if phase == "give":
            self.begin_give()
        else:
            super().begin_phase(phase)

    @classmethod
    def more_columns(cls, seats: int) -> list[tuple[str, int]]:
        """Tokens by seat, whites and blacks on the stage, and the place of the magic token."""
        return [("whites", seats), ("blacks", seats), ("stage", 2), ("magic", 1)]

    def more_packed(self) -> bytes:
        """Returns tokens, stage and magic token in bytes."""
        magic = {POOL: rows.POOL, STAGE: rows.STAGE}.get(self.magic, self.magic)
        return bytes(
            [
                *[tokens.whites for tokens in self.tokens],
                *[tokens.blacks for tokens in self.tokens],
                self.stage.whites,
                self.stage.blacks,
                magic,
            ]
        )

    @classmethod
    def penalty(cls, hand: list[int]) -> int:
        """Each value counts once, both values of a double card; all llamas count 10 (KAD-56)."""
        values = set[int]().union(*compress(VALUES, hand))
        return sum([TEN if value == LLAMA_VALUE else value for value in values])
