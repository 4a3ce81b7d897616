"""LAMA Dice: cards lie open in rows, and dice say which of them go."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product

from arena.rules.game import MAX_ROUNDS, NOBODY, Game, RoundLog
from arena.rules.lama import CARDS
from arena.rules.options import Option
from arena.rules.shuffles import shuffled
from arena.rules.tokens import Tokens
from arena.rules.view import View

LLAMA = 6  # values are kinds of CARDS: 0 to 5 for the numbers 1 to 6
SCORES = (1, 2, 3, 4, 5, 6, 10)
HAND = 6
GREY_DECK = (*(kind for kind in range(LLAMA) for _ in range(5)), *[LLAMA] * 6)  # DICE-2

QUIT, ROLL, TAKE = 0, 1, 2  # TAKE + v takes the card of value v from the llama row
DISCARDS = tuple(
    kinds for size in (1, 2, 3) for kinds in combinations_with_replacement(range(7), size)
)
FIRST_DISCARD = TAKE + 7
DISCARD = {kinds: FIRST_DISCARD + place for place, kinds in enumerate(DISCARDS)}
KEEP = FIRST_DISCARD + len(DISCARDS)
RETURNS = (1, 10)


def normal_faces(text: str) -> str:
    """Three dice of six faces: `1 2 3 4 llama llama / ...` (DICE-3)."""
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


FACES = Option(
    default="1 2 3 4 llama llama / 1 2 5 6 llama llama / 3 4 5 6 llama llama",
    about="The faces of the three dice (DICE-4)",
    normal=normal_faces,
)


@cache
def faces_of(text: str) -> tuple[tuple[int, ...], ...]:
    """The values on the faces of each die."""
    return tuple(tuple(CARDS.index(face) for face in die.split()) for die in text.split(" / "))


def rolled(seed: bytes, round_number: int, roll: int, faces: str) -> tuple[int, ...]:
    """The values that roll number `roll` (from 1) of a round shows, one for each die.

    A 4-byte big-endian word w for each die from SHAKE-256(seed ‖ "dice" ‖ round ‖ roll), both
    numbers as 4 bytes, big-endian; the die shows its face number ⌊6·w / 2³²⌋, from 0.
    """
    material = seed + b"dice" + round_number.to_bytes(4, "big") + roll.to_bytes(4, "big")
    words = struct.unpack(">3I", hashlib.shake_256(material).digest(12))
    return tuple(die[word * 6 >> 32] for die, word in zip(faces_of(faces), words, strict=True))


class Dice(Game):
    """Six cards each, face up, and a llama row of one card of every value (DICE-1)."""

    name = "dice"
    title = "LAMA Dice"
    ruleset = "dice/1"
    known_options = {"max_rounds": MAX_ROUNDS, "dice.faces": FACES}  # noqa: RUF012 - never changed

    __slots__ = (
        "active",
        "dice",
        "emptier",
        "in_round",
        "last_actor",
        "llama_row",
        "rolls",
        "rows",
        "tokens",
    )

    def set_up(self) -> None:
        """Everybody starts without tokens (DICE-5)."""
        super().set_up()
        self.tokens = [Tokens() for _ in range(self.seats)]

    def begin_round(self, starter: int) -> None:
        """The grey cards are shuffled and six dealt to each; the llama row is whole (DICE-31)."""
        self.deal(shuffled(self.seed, len(self.rounds) + 1, GREY_DECK), starter)

    def deal(self, deck: list[int], starter: int) -> None:
        """Seat 0 gets the top six cards, seat 1 the next six, and so on; the rest is put aside."""
        self.open_log(starter, deck)
        self.rows = [[0] * 7 for _ in range(self.seats)]
        for place, card in enumerate(deck[: HAND * self.seats]):
            self.rows[place // HAND][card] += 1
        self.llama_row = [1] * 7
        self.rolls = 0
        self.active = [True] * self.seats
        self.in_round = self.seats
        self.emptier = self.last_actor = NOBODY
        self.ask_turn(starter)

    def ask_turn(self, seat: int) -> None:
        """A player may roll or quit, also on the first turn and when alone (DICE-7, DICE-17)."""
        self.seat, self.ask = seat, "turn"
        self.dice: tuple[int, ...] = ()
        self.offered = (ROLL, QUIT)

    def carry_out(self, action: int) -> None:
        """Does what the player chose."""
        if action == ROLL:
            self.last_actor = self.seat
            self.roll()
        elif action == QUIT:
            self.last_actor = self.seat
            self.quit()
        elif action >= KEEP:
            self.give_back(action)
        elif action >= FIRST_DISCARD:
            self.discard(DISCARDS[action - FIRST_DISCARD])
        else:
            self.take(action - TAKE)

    # Rolling

    def roll(self) -> None:
        """Rolls all three dice, and sees which case it is."""
        self.rolls += 1
        self.show_dice(rolled(self.seed, self.round, self.rolls, self.options["dice.faces"]))

    def show_dice(self, dice: tuple[int, ...]) -> None:
        """Three llamas come first; then the own row; then the llama row; else it is blown."""
        self.dice = dice
        self.history[-1] += "".join([f" {CARDS[value]}" for value in dice])
        row = self.rows[self.seat]
        if dice == (LLAMA,) * 3:
            self.three_llamas()
        elif any(row[value] for value in dice):
            self.ask_discard()
        elif self.in_round > 1 and any(self.llama_row[value] for value in dice):
            self.ask_take()
        else:
            self.blow()

    def three_llamas(self) -> None:
        """A token may be given back; no card goes, even with llamas in the row (DICE-8)."""
        if self.tokens[self.seat].count:
            self.ask_return(self.seat)
        else:
            self.pass_turn()

    def ask_discard(self) -> None:
        """At least one matching card goes, of each value at most one a die (DICE-9 to DICE-11)."""
        row, shown = self.rows[self.seat], Counter[int](self.dice)
        most = {value: min(count, row[value]) for value, count in sorted(shown.items())}
        ways = product(*(range(count + 1) for count in most.values()))
        chosen = [
            tuple(value for value, count in zip(most, way, strict=True) for _ in range(count))
            for way in ways
        ]
        self.ask = "discard"
        self.offered = tuple(sorted(DISCARD[kinds] for kinds in chosen if kinds))

    def ask_take(self) -> None:
        """Exactly one rolled card is taken from the llama row (DICE-12)."""
        self.ask = "take"
        values = sorted({value for value in self.dice if self.llama_row[value]})
        self.offered = tuple([TAKE + value for value in values])

    def blow(self) -> None:
        """No die matches: the whole llama row is taken, the round is over (DICE-13, DICE-22).

        Alone it is blown even if the llama row has a match (DICE-18).
        """
        row = self.rows[self.seat]
        for value, there in enumerate(self.llama_row):
            row[value] += there
        self.llama_row = [0] * 7
        self.end_play()

    def discard(self, kinds: tuple[int, ...]) -> None:
        """The cards are put aside; who has none left ends the round (DICE-16, DICE-21)."""
        row = self.rows[self.seat]
        for kind in kinds:
            row[kind] -= 1
        if any(row):
            self.pass_turn()
        else:
            self.emptier = self.seat
            self.end_play()

    def take(self, value: int) -> None:
        """The card joins the own row; the last one of the llama row ends the round (DICE-23)."""
        self.llama_row[value] = 0
        self.rows[self.seat][value] += 1
        if any(self.llama_row):
            self.pass_turn()
        else:
            self.end_play()

    def quit(self) -> None:
        """The player leaves the round; the last one to leave ends it (DICE-24)."""
        self.active[self.seat] = False
        self.in_round -= 1
        if self.in_round:
            self.pass_turn()
        else:
            self.end_play()

    def pass_turn(self) -> None:
        """To the next active player on the left (DICE-15), who may be the same (DICE-17)."""
        seat = (self.seat + 1) % self.seats
        while not self.active[seat]:
            seat = (seat + 1) % self.seats
        self.ask_turn(seat)

    # Tokens and the end of a round

    def ask_return(self, seat: int) -> None:
        """One token may go back, or none (DICE-8, DICE-28)."""
        self.seat, self.ask = seat, "return"
        back = self.tokens[seat].returnable()
        self.offered = (KEEP, *(KEEP + 1 + RETURNS.index(token) for token in back))

    def give_back(self, action: int) -> None:
        """The token leaves; after three llamas play goes on, else the round is over."""
        if action > KEEP:
            self.tokens[self.seat].give_back(RETURNS[action - KEEP - 1])
        if self.log.penalties:
            self.finish_round()
        else:
            self.pass_turn()

    def end_play(self) -> None:
        """All rows score distinct values (DICE-25); then the emptier may give back (DICE-28)."""
        self.dice = ()
        self.log.left = [list(row) for row in self.rows]
        self.log.penalties = [self.penalty(row) for row in self.rows]
        for tokens, penalty in zip(self.tokens, self.log.penalties, strict=True):
            tokens.receive(penalty)
        if self.emptier != NOBODY and self.tokens[self.emptier].count:
            self.ask_return(self.emptier)
        else:
            self.finish_round()

    def finish_round(self) -> None:
        """The last to roll or quit starts the next round (DICE-32)."""
        self.points = [tokens.points for tokens in self.tokens]
        self.end_round(self.last_actor)

    def default_action(self) -> int:
        """Quit; discard all that match; take the cheapest; give back the highest (COM-16)."""
        if self.ask == "turn":
            return QUIT
        if self.ask == "discard":
            return max(self.offered, key=lambda action: len(DISCARDS[action - FIRST_DISCARD]))
        return self.offered[0] if self.ask == "take" else self.offered[-1]

    # What is seen

    def view(self, match: str = "", number: int = 0) -> View:
        """All rows are open, also of those who quit (DICE-6, INFO-3)."""
        seat, rows = self.seat, [self.cards(row) for row in self.rows]
        return View(
            match=match,
            number=number,
            game=self.name,
            options=self.changed,
            round=len(self.rounds),
            ask=self.ask,
            seat=seat,
            starter=self.log.starter,
            hand=rows[seat],
            penalty=self.penalty(self.rows[seat]),
            hand_sizes=tuple([sum(row) for row in self.rows]),
            active=tuple(self.active),
            points=tuple([tokens.points for tokens in self.tokens]),
            start="",
            top="",
            pile=0,
            moves=", ".join(self.history),
            actions=tuple([self.notation[action] for action in self.offered]),
            indices=self.offered,
            whites=tuple([tokens.whites for tokens in self.tokens]),
            blacks=tuple([tokens.blacks for tokens in self.tokens]),
            rows=tuple(rows),
            llama_row=self.cards(self.llama_row),
            dice=tuple([CARDS[value] for value in self.dice]),
        )

    def cards(self, row: list[int]) -> tuple[str, ...]:
        """Cards in notation, ascending."""
        return tuple([CARDS[value] for value, held in enumerate(row) for _ in range(held)])

    def opening(self, log: RoundLog) -> dict[str, object]:
        """The rows in dealt order."""
        names = [CARDS[kind] for kind in log.deck]
        return {"rows": [names[HAND * s : HAND * s + HAND] for s in range(self.seats)]}

    def closing(self, log: RoundLog) -> list[tuple[str, ...]]:
        """The rows at scoring, ascending; empty while the round is being played."""
        return [self.cards(row) for row in log.left]

    def outcome(self, log: RoundLog, move: int) -> dict[str, object]:
        """The dice of a roll."""
        if log.moves[move][1] != ROLL:
            return {}
        roll = sum(action == ROLL for _, action in log.moves[: move + 1])
        dice = rolled(self.seed, log.number, roll, self.options["dice.faces"])
        return {"dice": [CARDS[value] for value in dice]}

    @classmethod
    def penalty(cls, row: list[int]) -> int:
        """Each value in a row counts once, llamas 10 (DICE-25)."""
        return sum([score for score, held in zip(SCORES, row, strict=True) if held])


Dice.name_actions(
    "quit",
    "roll",
    *(f"take {card}" for card in CARDS),
    *(" ".join(["discard", *(CARDS[kind] for kind in kinds)]) for kinds in DISCARDS),
    "keep",
    *(f"return {token}" for token in RETURNS),
)
