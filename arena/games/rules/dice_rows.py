"""Open rows of cards, the llama row and tokens: dealing, scoring, views and records."""

from itertools import compress
from typing import Final, Self

from arena.games.rules.game import Game
from arena.games.rules.lama import CARDS
from arena.games.rules.rounds import RoundLog
from arena.games.rules.tokens import Tokens
from arena.games.rules.view import View

LLAMA: Final = 6  # values are indices into CARDS: 0 to 5 for the numbers 1 to 6
SCORES: Final = (1, 2, 3, 4, 5, 6, 10)
HAND: Final = 6


class RowGame(Game):
    """A game with open rows and three dice."""

    kinds = CARDS

    tokens: list[Tokens]  # by seat
    rows: list[list[int]]  # number of cards, by seat and kind
    llama_row: list[int]  # number of cards, by kind
    rolls: int  # in this round
    dice: tuple[int, ...]  # the values on show
    faces: tuple[tuple[int, ...], ...]  # the values of each die
    shown: list[tuple[int, ...]]  # the dice of this round's rolls

    __slots__ = ("dice", "faces", "llama_row", "rolls", "rows", "shown", "tokens")

    def deal_cards(self, deck: list[int]) -> None:
        """Seat 0 gets the top six grey cards, seat 1 the next six, and so on (DICE-2). The other
        grey cards are out of the round and hidden. The llama row is refilled (DICE-31)."""
        self.rows = [[0] * 7 for _ in range(self.seats)]
        for place, card in enumerate(deck[: HAND * self.seats]):
            self.rows[place // HAND][card] += 1
        self.llama_row = [1] * 7
        self.rolls = 0
        self.shown = []

    def clone(self) -> Self:
        other = super().clone()
        other.tokens = [tokens.clone() for tokens in self.tokens]
        other.faces = self.faces
        other.rows = [list(row) for row in self.rows]
        other.llama_row = list(self.llama_row)
        other.rolls = self.rolls
        other.shown = list(self.shown)
        other.dice = self.dice
        return other

    # Tokens and points

    def receive(self, seat: int, points: int) -> None:
        """The player takes white and black tokens (DICE-26), at the end of a round only (DICE-30).
        The exact tokens matter; players swap whites only to return a black (DICE-27)."""
        super().receive(seat, points)
        self.tokens[seat].receive(points)

    def returnable(self, seat: int) -> tuple[int, ...]:
        """A 1 or a 10, even one just received; ten whites may be swapped first (DICE-28)."""
        return self.tokens[seat].returnable()

    def return_token(self, token: int) -> None:
        super().return_token(token)
        self.tokens[self.seat].give_back(token)

    @classmethod
    def penalty(cls, row: list[int]) -> int:
        """Each value in a row counts once, llamas 10 (DICE-25)."""
        return sum(compress(SCORES, row))

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
