"""The legend of each game: the signs on cards and tokens with their meanings.

The full rules are in docs/rules.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["card", "token", "die", "sign"]


@dataclass(frozen=True)
class Symbol:
    """One line of a legend."""

    kind: Kind
    sample: str  # a card or die in notation, points of a token, or the name of a sign
    name: str
    meaning: str


NUMBERS = Symbol(
    "card", "3", "Number", "Goes on the same number or the one before: a 3 on a 2 or 3."
)
LLAMA = Symbol(
    "card", "llama", "Llama", "Goes on a 6 or a llama; a 1 goes on it. Llamas left over cost 10."
)
BACK = Symbol(
    "sign",
    "back",
    "Face down",
    "A card that you cannot see. All are turned over when the round is scored.",
)
WHITE = Symbol("token", "1", "White token", "1 point. Points are bad.")
BLACK = Symbol("token", "10", "Black token", "10 points.")
STARTS = Symbol("sign", "starts", "Starter", "This player started the round.")
OUT = Symbol("sign", "out", "Out", "Has quit the round. Their cards count as they are.")
WORTH = Symbol("sign", "worth", "Costs", "What the cards would score now. Each value counts once.")
COMMON = (BACK, STARTS, OUT, WORTH)

SYMBOLS: dict[str, tuple[Symbol, ...]] = {
    "lama": (NUMBERS, LLAMA, WHITE, BLACK, *COMMON),
    "party": (
        NUMBERS,
        Symbol("card", "6+", "Plus card", "Counts as its number. Play it and you go again."),
        LLAMA,
        Symbol(
            "card",
            "pink",
            "Pink llama",
            "Goes on any card. Left over, it makes llamas cost 20.",
        ),
        WHITE,
        BLACK,
        Symbol("token", "20", "Pink token", "20 points."),
        *COMMON,
    ),
    "dice": (
        Symbol("card", "3", "Card in a row", "All players see it. Roll its value to discard it."),
        Symbol(
            "die",
            "3",
            "Die",
            "Each shows four numbers and two llamas; each number is on two dice.",
        ),
        Symbol(
            "card",
            "llama",
            "Llama",
            "Llamas left over cost 10. A roll of three lets you give back a token.",
        ),
        Symbol(
            "sign",
            "row",
            "Llama row",
            "No match in your row? Take a card from here. No match here "
            "either: you bust and take it all.",
        ),
        WHITE,
        BLACK,
        STARTS,
        OUT,
        WORTH,
    ),
    "kadabra": (
        NUMBERS,
        Symbol("card", "2/3", "Double card", "Counts as both numbers, in play and in scoring."),
        Symbol("card", "1o", "Circle", "Give one of your lowest tokens to another player."),
        Symbol("card", "2#", "Square", "The next player draws a card, then has their turn."),
        Symbol("card", "2*", "Star", "You take the magic token, wherever it is."),
        LLAMA,
        Symbol(
            "sign",
            "stage",
            "Magic stage",
            "Each llama puts one of its player's tokens here. With five or "
            "more there is a show: play a llama or collect all of it.",
        ),
        Symbol(
            "sign",
            "magic",
            "Magic token",
            "Costs its holder 10 when the round is scored. You can use a turn to hand it back.",
        ),
        WHITE,
        BLACK,
        *COMMON,
    ),
}


def symbols(game: str) -> tuple[Symbol, ...]:
    """The legend of a game; for an unknown game, the signs that all games share."""
    return SYMBOLS.get(game, (WHITE, BLACK, *COMMON))
