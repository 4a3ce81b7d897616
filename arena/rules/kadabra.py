"""LLAMA Kadabra: special cards, a magic token, and a stage that fills with tokens."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from arena.rules.game import MAX_ROUNDS, NOBODY
from arena.rules.options import Option
from arena.rules.shedding import PLAY, SheddingGame
from arena.rules.tokens import TEN, Tokens
from arena.rules.view import View

GIVE, NEXT_DRAWS, TAKE_MAGIC = "o", "#", "*"  # icons (KAD-3)
COPIES = {1: 8, 2: 7, 3: 7, 4: 7, 5: 7, 6: 8}  # of each value, specials among them (KAD-1)
DOUBLES, LLAMAS = 2, 12  # of each double card; llamas
LLAMA_VALUE = 7

POOL, STAGE = -1, -2  # where the magic token is, if no seat has it
SHOW_AT = 5  # tokens on the stage
FIRST_WHITES = 3


def all_kinds() -> tuple[str, ...]:
    """Every card there can be, in the order of a sorted hand; only a 1 can be a give-away card."""
    icons = {1: ("", GIVE, NEXT_DRAWS, TAKE_MAGIC)}
    kinds = []
    for value in COPIES:
        kinds += [f"{value}{icon}" for icon in icons.get(value, ("", NEXT_DRAWS, TAKE_MAGIC))]
        kinds += {2: ["2/3"], 4: ["4/5"]}.get(value, [])
    return (*kinds, "llama")


KINDS = all_kinds()
LLAMA = KINDS.index("llama")


def values_of(kind: str) -> tuple[int, ...]:
    """The values a card stands for: one, or two on a double card; a llama is 7 here."""
    if kind == "llama":
        return (LLAMA_VALUE,)
    return tuple(int(value) for value in kind.rstrip(GIVE + NEXT_DRAWS + TAKE_MAGIC).split("/"))


VALUES = tuple(values_of(kind) for kind in KINDS)


def may_follow(card: tuple[int, ...], top: tuple[int, ...]) -> bool:
    """Some value of the card is some value of the top, or the next one (KAD-8 to KAD-11)."""
    return any(value in (under, under % LLAMA_VALUE + 1) for value in card for under in top)


def normal_specials(text: str) -> str:
    """How many of a value's cards have an icon: `1o:8 2#:1 2*:1 ...` (KAD-3, KAD-4)."""
    counts: dict[str, int] = {}
    for word in text.split():
        kind, _, count = word.partition(":")
        special = kind in KINDS and kind[-1] in GIVE + NEXT_DRAWS + TAKE_MAGIC
        if not special or kind in counts or not (count.isascii() and count.isdigit()):
            raise ValueError(
                f"takes words like 1o:8 2#:1 3*:1 (a card with an icon, a colon, how many, each "
                f"card once), and {word!r} is none"
            )
        counts[kind] = int(count)
    for value, copies in COPIES.items():
        wanted = sum(count for kind, count in counts.items() if kind[:-1] == str(value))
        if wanted > copies:
            raise ValueError(f"asks for {wanted} special {value}s of the {copies} there are")
    return " ".join(f"{kind}:{counts[kind]}" for kind in KINDS if counts.get(kind))


SPECIALS = Option(
    default="1o:8 2#:1 2*:1 3#:1 3*:1 4#:1 4*:1 5#:1 5*:1 6#:1 6*:1",
    about="Which cards have an icon, and how many of them (KAD-4)",
    normal=normal_specials,
)


@cache
def deck_of(specials: str) -> tuple[int, ...]:
    """The 60 cards with these special ones among them, as kinds in order."""
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
    known_options = {"max_rounds": MAX_ROUNDS, "kadabra.specials": SPECIALS}  # noqa: RUF012

    kinds = KINDS
    deck = deck_of(SPECIALS.default)
    values = tuple(0 for _ in KINDS)  # a double card has two: see `penalty`
    follows = tuple(
        tuple(kind for kind, card in enumerate(VALUES) if may_follow(card, top)) for top in VALUES
    )
    returns = (1, 10)
    extra = (*(f"give +{places}" for places in range(1, 6)), "swap", "collect", "return magic")

    give: ClassVar[int]  # give + k gives to the seat k places to the left
    swap: ClassVar[int]
    collect: ClassVar[int]
    return_magic: ClassVar[int]

    __slots__ = ("armed", "last_card", "magic", "stage", "tokens")

    def set_up(self) -> None:
        """Everybody takes three whites, once; the stage is empty (KAD-7)."""
        self.tokens = [Tokens(FIRST_WHITES) for _ in range(self.seats)]
        self.points = [tokens.points for tokens in self.tokens]
        self.stage = Tokens()
        self.magic = POOL

    def make_deck(self) -> tuple[int, ...]:
        """The deck with this match's special cards."""
        return deck_of(self.options["kadabra.specials"])

    def deal(self, deck: list[int], starter: int) -> None:
        """Tokens of players and stage stay; a show needs a llama to be played first (KAD-38)."""
        self.armed = self.last_card = False
        super().deal(deck, starter)

    # Turns

    def ask_turn(self, seat: int) -> None:
        """In a magic show there are only its options (KAD-38 to KAD-40), else all of a turn."""
        if self.armed and self.on_stage() >= SHOW_AT:
            self.ask_show(seat)
        else:
            self.ask_any(seat)

    def ask_any(self, seat: int) -> None:
        """A usual turn; beside it the magic token may go back (KAD-15) and tokens be swapped."""
        super().ask_turn(seat)
        self.offered += self.beside(seat)

    def ask_show(self, seat: int) -> None:
        """Play a llama, or collect the stage; quitting and drawing come after that (KAD-45)."""
        self.seat, self.ask = seat, "show"
        llama = (PLAY + LLAMA,) if self.hands[seat][LLAMA] else ()
        self.offered = (*llama, self.collect, *self.beside(seat))

    def beside(self, seat: int) -> tuple[int, ...]:
        """Returning the magic token, unless alone; swapping ten whites (KAD-15, KAD-17, KAD-44)."""
        magic = self.magic == seat and self.in_round > 1
        swap = self.tokens[seat].whites >= TEN
        return (*((self.return_magic,) if magic else ()), *((self.swap,) if swap else ()))

    def on_stage(self) -> int:
        """Tokens on the stage; the magic token counts as one (KAD-37)."""
        return self.stage.count + (self.magic == STAGE)

    def special(self, action: int) -> None:
        """What only this game has."""
        if action == self.swap:
            self.swap_tokens()
        elif action == self.collect:
            self.collect_stage()
        elif action == self.return_magic:
            self.last_actor = self.seat
            self.magic = POOL
            self.ask_turn(self.next_active())
        else:
            self.give_token((self.seat + action - self.give) % self.seats)

    def swap_tokens(self) -> None:
        """Ten whites become a black; the same decision is asked again (KAD-17, KAD-18)."""
        self.tokens[self.seat].swap()
        {"turn": self.ask_any, "show": self.ask_show, "give": self.ask_give}[self.ask](self.seat)

    def collect_stage(self) -> None:
        """All tokens of the stage are his, the show ends, and a usual turn follows (KAD-43)."""
        self.stage.move_all(self.tokens[self.seat])
        if self.magic == STAGE:
            self.magic = self.seat
        self.armed = False
        self.count_points()
        self.ask_any(self.seat)

    # Cards and their actions

    def after_play(self, kind: int) -> None:
        """The card lies on the pile; then its action, always (KAD-20); then the round's end."""
        self.last_card = not self.sizes[self.seat]
        icon = self.kinds[kind][-1]
        if kind == LLAMA:
            self.place_on_stage()
        elif icon == GIVE and self.receivers() and self.has_token():
            self.ask_give(self.seat)
            return
        elif icon == NEXT_DRAWS:
            self.next_draws()
        elif icon == TAKE_MAGIC:
            self.magic = self.seat  # wherever it is, even with one who quit (KAD-27, KAD-28)
        self.finish_play()

    def finish_play(self) -> None:
        """After the last card's action the round ends (KAD-30, KAD-35), else the next turn."""
        self.count_points()
        if not self.last_card:
            self.ask_turn(self.next_active())
            return
        # Alone and made to draw by his last card he has a card again (KAD-34).
        self.emptier = self.seat if not self.sizes[self.seat] else NOBODY
        self.end_play()

    def has_token(self) -> bool:
        """Whether the player has any token, the magic one too."""
        return bool(self.tokens[self.seat].count) or self.magic == self.seat

    def place_on_stage(self) -> None:
        """Whoever plays a llama must place his lowest token, if he has one (KAD-36, KAD-49)."""
        if self.tokens[self.seat].count:
            self.tokens[self.seat].move_lowest(self.stage)
        elif self.magic == self.seat:
            self.magic = STAGE
        self.armed = self.on_stage() >= SHOW_AT

    def receivers(self) -> list[int]:
        """Places to the left at which somebody else is still in the round (KAD-14, KAD-21)."""
        return [k for k in range(1, self.seats) if self.active[(self.seat + k) % self.seats]]

    def ask_give(self, seat: int) -> None:
        """Who gets the lowest token is the player's choice (KAD-21); he may swap before."""
        self.seat, self.ask = seat, "give"
        swap = (self.swap,) if self.tokens[seat].whites >= TEN else ()
        self.offered = (*(self.give + k for k in self.receivers()), *swap)

    def give_token(self, receiver: int) -> None:
        """White before black before magic (KAD-21, KAD-23)."""
        if self.tokens[self.seat].count:
            self.tokens[self.seat].move_lowest(self.tokens[receiver])
        else:
            self.magic = receiver
        self.finish_play()

    def next_draws(self) -> None:
        """The next active player draws a card, alone the player himself (KAD-24 to KAD-26)."""
        if self.drawn < len(self.log.deck):
            self.give_card(self.next_active())

    # The end of a round

    def end_play(self) -> None:
        """Cards score, and 10 for who holds the magic token, which goes to the pool (KAD-57)."""
        self.log.left = [list(hand) for hand in self.hands]
        self.log.penalties = [self.penalty(hand) for hand in self.hands]
        if self.magic >= 0:
            self.log.penalties[self.magic] += TEN
            self.magic = POOL
        for tokens, penalty in zip(self.tokens, self.log.penalties, strict=True):
            tokens.receive(penalty)
        self.count_points()
        if self.emptier != NOBODY and self.points[self.emptier]:
            self.ask_return(self.emptier)
        else:
            self.end_round(self.next_starter())

    def ask_return(self, seat: int) -> None:
        """Any one of his tokens may go back, a black just received too (KAD-58)."""
        self.seat, self.ask = seat, "return"
        back = self.tokens[seat].returnable()
        self.offered = (self.keep, *(self.keep + 1 + self.returns.index(t) for t in back))

    def return_token(self, token: int) -> None:
        """It goes back to the pool."""
        self.tokens[self.seat].give_back(token)
        self.count_points()

    def next_starter(self) -> int:
        """Who did the last action starts: played the last card, or dropped out last (KAD-62)."""
        return self.last_actor

    def count_points(self) -> None:
        """Points are what the white and black tokens are worth."""
        self.points = [tokens.points for tokens in self.tokens]

    def default_action(self) -> int:
        """In a show collect, then quit; give to the left; give back the highest (COM-16)."""
        if self.ask == "show":
            return self.collect
        return self.offered[0] if self.ask == "give" else super().default_action()

    def view(self, match: str = "", number: int = 0) -> View:
        """Tokens, stage and magic token are open to all."""
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

    @classmethod
    def penalty(cls, hand: list[int]) -> int:
        """Each value counts once, both of a double card; all llamas together 10 (KAD-56)."""
        held = {value for kind, count in enumerate(hand) if count for value in VALUES[kind]}
        return sum(TEN if value == LLAMA_VALUE else value for value in held)


Kadabra.give, Kadabra.swap, Kadabra.collect, Kadabra.return_magic = (
    Kadabra.notation.index("give +1") - 1,
    *(Kadabra.notation.index(action) for action in ("swap", "collect", "return magic")),
)
