"""LAMA Dice: cards lie open in rows, and dice decide which cards may be discarded."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, compress
from typing import Final, Self

from arena.games.rules.errors import BadView
from arena.games.rules.game import MAX_ROUNDS, NOBODY, Game, RoundLog
from arena.games.rules.lama import CARDS
from arena.games.rules.options import Option
from arena.games.rules.rows import NONE, padded
from arena.games.rules.tokens import Tokens, tokens_in
from arena.games.rules.view import View

LLAMA: Final = 6  # values are indices into CARDS: 0 to 5 for the numbers 1 to 6
SCORES: Final = (1, 2, 3, 4, 5, 6, 10)
HAND: Final = 6
GREY_DECK = (*(kind for kind in range(LLAMA) for _ in range(5)), *[LLAMA] * 6)  # DICE-2

# Actions; TAKE + v takes the card of value v from the llama row.
QUIT: Final = 0
ROLL: Final = 1
TAKE: Final = 2
DISCARDS: Final = tuple(
    kinds for size in (1, 2, 3) for kinds in combinations_with_replacement(range(7), size)
)
FIRST_DISCARD: Final = TAKE + 7
DISCARD = {kinds: FIRST_DISCARD + place for place, kinds in enumerate(DISCARDS)}


FACES = Option(  # DICE-4
    default="1 2 3 4 llama llama / 1 2 5 6 llama llama / 3 4 5 6 llama llama",
    about="The faces of the three dice",
    normalize=lambda text: normal_faces(text),  # defined below
    title="Faces of the dice",
    rare="1 3 5 6 llama llama / 1 2 4 6 llama llama / 2 3 4 5 llama llama",
    values_stay=True,
)


class Dice(Game):
    """Each player has six open cards; the llama row has one card of each value (DICE-1)."""

    name = "dice"
    title = "LAMA Dice"
    chance = "dice"
    typical_decisions = (50, 64, 77, 80, 87)
    ruleset = "dice/1"
    known_options = {"max_rounds": MAX_ROUNDS, "dice.faces": FACES}  # noqa: RUF012 - constant

    kinds = CARDS
    deck = GREY_DECK
    returns = (1, 10)
    phases = ("turn", "return", "discard", "take")
    most_legal = 7  # subsets of three different cards to discard
    move_bytes = 5  # with the dice of a roll

    __slots__ = ("dice", "faces", "llama_row", "rolls", "rows", "shown", "tokens")

    def set_up(self) -> None:
        """Every player starts without tokens (DICE-5)."""
        super().set_up()
        self.tokens = [Tokens() for _ in range(self.seats)]
        self.faces = faces_of(self.options["dice.faces"])

    def deal_cards(self, deck: list[int]) -> None:
        """Seat 0 gets the top six grey cards, seat 1 the next six, and so on (DICE-2).

        The other grey cards are out of the round and hidden. The llama row is refilled (DICE-31).
        """
        self.rows = [[0] * 7 for _ in range(self.seats)]
        for place, card in enumerate(deck[: HAND * self.seats]):
            self.rows[place // HAND][card] += 1
        self.llama_row = [1] * 7
        self.rolls = 0
        self.shown: list[tuple[int, ...]] = []  # the dice of this round's rolls

    def clone(self) -> Self:
        """Returns an independent copy."""
        other = super().clone()
        other.tokens = [tokens.clone() for tokens in self.tokens]
        other.faces = self.faces
        other.rows = [list(row) for row in self.rows]
        other.llama_row = list(self.llama_row)
        other.rolls = self.rolls
        other.shown = list(self.shown)
        other.dice = self.dice
        return other

    def begin_turn(self, seat: int) -> None:
        """A player may roll or quit, even on the first turn and when alone (DICE-7, DICE-17)."""
        self.seat, self.phase = seat, "turn"
        self.dice: tuple[int, ...] = ()
        self.legal_actions = (ROLL, QUIT)

    def perform(self, action: int) -> None:
        """Carries out the player's action. Only rolling and quitting count as a turn (DICE-32)."""
        if action == ROLL:
            self.last_actor = self.seat
            self.roll()
        elif action == QUIT:
            self.last_actor = self.seat
            self.quit()
        elif action >= self.keep:
            self.give_back(action)
        elif action >= FIRST_DISCARD:
            self.discard(DISCARDS[action - FIRST_DISCARD])
        else:
            self.take(action - TAKE)

    # Rolling

    def roll(self) -> None:
        """Rolls all three dice, once (DICE-7)."""
        self.rolls += 1
        self.show_dice(rolled(self.seed, len(self.rounds), self.rolls, self.faces))

    def show_dice(self, dice: tuple[int, ...]) -> None:
        """Checks for three llamas (DICE-8), then the player's row, then the llama row; else bust.

        Two llamas and a number have no special meaning (DICE-14).
        """
        self.dice = dice
        self.shown.append(dice)
        self.history[-1] += " " + " ".join([CARDS[value] for value in dice])
        if dice == (LLAMA, LLAMA, LLAMA):
            self.three_llamas()
        elif matching := self.matching(dice):
            self.phase, self.legal_actions = "discard", discards(matching)
        elif self.in_round > 1 and any(self.llama_row[v] for v in dice):
            self.begin_take()
        else:
            self.bust()

    def three_llamas(self) -> None:
        """The player may return a token, even if alone; no card leaves (DICE-8, -19, -29)."""
        if self.tokens[self.seat].count:
            self.begin_return(self.seat)
        else:
            self.begin_turn(self.next_active())

    def matching(self, dice: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the most cards they may discard: one per matching die (DICE-9, -10, -20)."""
        row = self.rows[self.seat]
        used: list[int] = []
        for value in dice:
            if row[value] > used.count(value):
                used.append(value)
        return tuple(sorted(used))

    def begin_take(self) -> None:
        """The player must take exactly one rolled card from the llama row (DICE-12)."""
        self.phase = "take"
        values = sorted({value for value in self.dice if self.llama_row[value]})
        self.legal_actions = tuple([TAKE + value for value in values])

    def bust(self) -> None:
        """No die matches: the player takes the whole llama row and the round ends (DICE-13, -22).

        A player who is alone busts even if the llama row has a match (DICE-18).
        """
        row = self.rows[self.seat]
        for value, cards in enumerate(self.llama_row):
            row[value] += cards
        self.llama_row = [0] * 7
        self.end_play()

    def discard(self, kinds: tuple[int, ...]) -> None:
        """The cards leave the round (DICE-16); a player without cards ends it (DICE-21)."""
        row = self.rows[self.seat]
        for kind in kinds:
            row[kind] -= 1
        if any(row):
            self.begin_turn(self.next_active())  # DICE-15
        else:
            self.went_out = self.seat
            self.end_play()

    def take(self, value: int) -> None:
        """The card joins the player's row; taking the llama row's last ends the round (DICE-23)."""
        self.llama_row[value] = 0
        self.rows[self.seat][value] += 1
        if any(self.llama_row):
            self.begin_turn(self.next_active())
        else:
            self.end_play()

    # Tokens and the end of a round

    def receive(self, seat: int, points: int) -> None:
        """The player takes white and black tokens (DICE-26), at the end of a round only (DICE-30).

        The exact tokens matter; players swap whites only to return a black (DICE-27).
        """
        super().receive(seat, points)
        self.tokens[seat].receive(points)

    def returnable(self, seat: int) -> tuple[int, ...]:
        """A 1 or a 10, even one just received; ten whites may be swapped first (DICE-28)."""
        return self.tokens[seat].returnable()

    def return_token(self, token: int) -> None:
        """The player returns the token to the pool."""
        super().return_token(token)
        self.tokens[self.seat].give_back(token)

    def end_play(self) -> None:
        """All rows score, whether the player quit or not, including cards taken (DICE-25)."""
        self.dice = ()
        self.log.final_hands = [list(row) for row in self.rows]
        self.score([self.penalty(row) for row in self.rows])

    def after_return(self) -> None:
        """After three llamas the round continues (DICE-8, DICE-19)."""
        if self.scored:
            self.end_round()
        else:
            self.begin_turn(self.next_active())

    def default_action(self) -> int:
        """Quit; discard every match; take the cheapest; return the highest token (COM-16)."""
        if self.phase == "turn":
            return QUIT
        if self.phase == "discard":
            return max(self.legal_actions, key=lambda action: len(DISCARDS[action - FIRST_DISCARD]))
        return self.legal_actions[0] if self.phase == "take" else self.legal_actions[-1]

    # Views and records

    def view(self, match: str = "", number: int = 0) -> View:
        """All rows are open, including those of players who quit (DICE-6, INFO-3)."""
        seat, rows = self.seat, [self.cards(row) for row in self.rows]
        return View(
            match=match,
            number=number,
            game=self.name,
            options=self.changed_options,
            round=len(self.rounds),
            ask=self.phase,
            seat=seat,
            starter=self.log.starter,
            hand=rows[seat],
            penalty=self.penalty(self.rows[seat]),
            hand_sizes=tuple([sum(row) for row in self.rows]),
            active=tuple(self.active),
            points=tuple(self.points),
            start="",
            top="",
            pile=0,
            moves=", ".join(self.history),
            actions=tuple([self.notation[action] for action in self.legal_actions]),
            indices=self.legal_actions,
            whites=tuple([tokens.whites for tokens in self.tokens]),
            blacks=tuple([tokens.blacks for tokens in self.tokens]),
            rows=tuple(rows),
            llama_row=self.cards(self.llama_row),
            dice=tuple([CARDS[value] for value in self.dice]),
        )

    @classmethod
    def more_columns(cls, seats: int) -> list[tuple[str, int]]:
        """Tokens and rows by seat, the llama row, and the three dice."""
        kinds = len(cls.kinds)
        return [
            *(("whites", seats), ("blacks", seats)),
            *(("rows", seats * kinds), ("llama_row", kinds), ("dice", 3)),
        ]

    def packed(self, match: bytes, number: int) -> tuple[bytes, bytes]:
        """Returns `view` as a row of bytes, and the round's moves."""
        seat, codes, played = self.seat, self.move_codes(), self.log.number
        hand, moves = self.rows[seat], len(codes)
        numbers = [
            *(number & 255, number >> 8, played & 255, played >> 8),
            *(self.phases.index(self.phase), seat, self.log.starter, self.penalty(hand)),
            *(NONE, NONE, 0),  # no cards to play on, no pile
            *self.active,
            *[sum(row) for row in self.rows],
            *self.points,
            *hand,
        ]
        row = [
            bytes([moves & 255, moves >> 8]),
            match,
            bytes(numbers),
            padded(self.legal_actions, self.most_legal),
            bytes([tokens.whites for tokens in self.tokens]),
            bytes([tokens.blacks for tokens in self.tokens]),
            *[bytes(row) for row in self.rows],
            bytes(self.llama_row),
            padded(self.dice, 3),
        ]
        return b"".join(row), codes

    def move_codes(self) -> bytes:
        """Returns the round's moves in bytes; rolls include their dice."""
        codes, rolls = [], 0
        for seat, action in self.log.moves:
            dice: tuple[int, ...] = (NONE, NONE, NONE)
            if action == ROLL:
                dice = self.shown[rolls]
                rolls += 1
            codes.append(bytes((seat, action, *dice)))
        return b"".join(codes)

    def restore_cards(self, view: View) -> list[tuple[int, int]]:
        """Lays out rows, llama row, tokens and dice. Only the cards put aside are hidden."""
        if len(view.rows) != self.seats:
            raise BadView("The view does not have the rows of all seats.")
        self.rows = [self.count_cards(row) for row in view.rows]
        self.llama_row = [1] * 7
        self.tokens = tokens_in(view)
        self.points = [tokens.points for tokens in self.tokens]
        self.dice = tuple([self.count_cards([die]).index(1) for die in view.dice])
        rolls = [move.split(" ")[2:] for move in view.history if " roll " in move]
        self.shown = [tuple([self.count_cards([die]).index(1) for die in dice]) for dice in rolls]
        self.rolls = 0
        dealt = [list(row) for row in self.rows]
        for seat, action in self.log.moves:
            if action == ROLL:
                self.rolls += 1
            elif TAKE <= action < FIRST_DISCARD:
                self.llama_row[action - TAKE] = 0
                dealt[seat][action - TAKE] -= 1
            elif FIRST_DISCARD <= action < self.keep:
                for kind in DISCARDS[action - FIRST_DISCARD]:
                    dealt[seat][kind] += 1
        for seat, row in enumerate(dealt):
            if min(row) < 0 or sum(row) != HAND:
                raise BadView(f"The row of seat {seat} does not follow from the round's moves.")
            cards = [kind for kind, count in enumerate(row) for _ in range(count)]
            self.log.deck[HAND * seat : HAND * seat + HAND] = cards
        return [(place, NOBODY) for place in range(HAND * self.seats, len(self.log.deck))]

    def begin_phase(self, phase: str) -> None:
        """Asks the deciding seat for a decision of this phase."""
        if phase == "discard":
            self.phase, self.legal_actions = phase, discards(self.matching(self.dice))
        elif phase == "take":
            self.begin_take()
        else:
            super().begin_phase(phase)

    def parse_move(self, text: str) -> tuple[int, int]:
        """Parses a move, ignoring the dice of a roll."""
        seat, _, action = text.partition(" ")
        return super().parse_move(f"{seat} roll" if action.startswith("roll ") else text)

    def cards(self, row: list[int]) -> tuple[str, ...]:
        """Returns cards in notation, ascending."""
        return tuple([CARDS[value] for value, held in enumerate(row) for _ in range(held)])

    def round_start(self, log: RoundLog) -> dict[str, object]:
        """Returns the rows in the order dealt."""
        names = [CARDS[kind] for kind in log.deck]
        return {"rows": [names[HAND * s : HAND * s + HAND] for s in range(self.seats)]}

    def final_hands(self, log: RoundLog) -> list[tuple[str, ...]]:
        """Returns the rows at scoring, sorted; empty while the round is in progress."""
        return [self.cards(row) for row in log.final_hands]

    def move_result(self, log: RoundLog, move: int) -> dict[str, object]:
        """Returns the dice of a roll."""
        if log.moves[move][1] != ROLL:
            return {}
        roll = sum(action == ROLL for _, action in log.moves[: move + 1])
        dice = rolled(self.seed, log.number, roll, self.faces)
        return {"dice": [CARDS[value] for value in dice]}

    @classmethod
    def penalty(cls, row: list[int]) -> int:
        """Each value in a row counts once, llamas 10 (DICE-25)."""
        return sum(compress(SCORES, row))


@cache
def discards(matching: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the actions that discard at least one of one to three cards (DICE-9, -11)."""
    sizes = range(1, len(matching) + 1)
    ways = {tuple(sorted(kinds)) for size in sizes for kinds in combinations(matching, size)}
    return tuple(sorted(DISCARD[kinds] for kinds in ways))


def normal_faces(text: str) -> str:
    """Validates and sorts three dice of six faces: `1 2 3 4 llama llama / ...` (DICE-3)."""
    dice = [die.split() for die in text.split("/")]
    numbers = Counter(face for die in dice for face in die if face != "llama")
    sound = (
        len(dice) == 3
        and all(len(die) == 6 and die.count("llama") == 2 for die in dice)
        and all(len(set(die)) == 5 for die in dice)
        and numbers == dict.fromkeys(CARDS[:LLAMA], 2)
    )
    if not sound:
        raise ValueError(
            "takes three dice divided by /, each with two llamas and four different numbers, "
            "every number from 1 to 6 on two of them"
        )
    return " / ".join(" ".join(sorted(die, key=CARDS.index)) for die in dice)


@lru_cache(maxsize=64)
def faces_of(text: str) -> tuple[tuple[int, ...], ...]:
    """Returns the values on the faces of each die."""
    return tuple(tuple(CARDS.index(face) for face in die.split()) for die in text.split(" / "))


def rolled(
    seed: bytes, round_number: int, roll: int, faces: tuple[tuple[int, ...], ...]
) -> tuple[int, ...]:
    """Returns the values of roll number `roll` (from 1) of a round, one for each die.

    Each die takes a 4-byte big-endian word w from SHAKE-256(seed ‖ "dice" ‖ round ‖ roll), both
    numbers as 4 bytes, big-endian. It shows face number ⌊6·w / 2³²⌋, counted from 0.
    """
    material = seed + b"dice" + round_number.to_bytes(4, "big") + roll.to_bytes(4, "big")
    words = struct.unpack(">3I", hashlib.shake_256(material).digest(12))
    return tuple([die[word * 6 >> 32] for die, word in zip(faces, words, strict=True)])


Dice.name_actions(
    "quit",
    "roll",
    *(f"take {card}" for card in CARDS),
    *(" ".join(["discard", *(CARDS[kind] for kind in kinds)]) for kinds in DISCARDS),
    "keep",
    *(f"return {token}" for token in Dice.returns),
)
