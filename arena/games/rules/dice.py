"""LAMA Dice: cards lie open in rows, and dice decide which cards may be discarded."""

from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final

from arena.games.rules.dice_rolls import FACES, faces_of, rolled
from arena.games.rules.dice_rows import HAND, LLAMA, RowGame
from arena.games.rules.errors import BadView
from arena.games.rules.game import MAX_ROUNDS
from arena.games.rules.lama import CARDS
from arena.games.rules.rounds import NOBODY, RoundLog
from arena.games.rules.rows import NONE, padded
from arena.games.rules.tokens import Tokens, tokens_in
from arena.games.rules.view import View

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


class Dice(RowGame):
    """Each player has six open cards; the llama row has one card of each value (DICE-1)."""

    name = "dice"
    title = "LAMA Dice"
    chance = "dice"
    typical_decisions = (50, 64, 77, 80, 87)
    ruleset = "dice/1"
    known_options = {"max_rounds": MAX_ROUNDS, "dice.faces": FACES}  # noqa: RUF012 - constant

    deck = GREY_DECK
    returns = (1, 10)
    phases = ("turn", "return", "discard", "take")
    most_legal = 7  # subsets of three different cards to discard
    move_bytes = 5  # with the dice of a roll

    __slots__ = ()

    def set_up(self) -> None:
        """Every player starts without tokens (DICE-5)."""
        super().set_up()
        self.tokens = [Tokens() for _ in range(self.seats)]
        self.faces = faces_of(self.options["dice.faces"])

    def begin_turn(self, seat: int) -> None:
        """A player may roll or quit, even on the first turn and when alone (DICE-7, DICE-17)."""
        self.seat, self.phase = seat, "turn"
        self.dice = ()
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
        Two llamas and a number have no special meaning (DICE-14)."""
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
        """No die matches: the player takes the whole llama row and the round ends (DICE-13, -22). A
        player who is alone busts even if the llama row has a match (DICE-18)."""
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

    def move_result(self, log: RoundLog, move: int) -> dict[str, object]:
        """Returns the dice of a roll."""
        if log.moves[move][1] != ROLL:
            return {}
        roll = sum(action == ROLL for _, action in log.moves[: move + 1])
        dice = rolled(self.seed, log.number, roll, self.faces)
        return {"dice": [CARDS[value] for value in dice]}


@cache
def discards(matching: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the actions that discard at least one of one to three cards (DICE-9, -11)."""
    sizes = range(1, len(matching) + 1)
    ways = {tuple(sorted(kinds)) for size in sizes for kinds in combinations(matching, size)}
    return tuple(sorted(DISCARD[kinds] for kinds in ways))


Dice.name_actions(
    "quit",
    "roll",
    *(f"take {card}" for card in CARDS),
    *(" ".join(["discard", *(CARDS[kind] for kind in kinds)]) for kinds in DISCARDS),
    "keep",
    *(f"return {token}" for token in Dice.returns),
)
