"""Texts of every table: the goal in a sentence, each game in one minute, and its legend.

The full rules are in docs/rules.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from arena.games.rules import GAMES

ENDS_AT = 40  # points (COM-5)
ROUNDS = "max_rounds"


def goal(game: str, options: Mapping[str, str]) -> str:
    """ "Fewest points win. The match ends when a player has 40." """
    most = options.get(ROUNDS, "")
    if not most or most == GAMES[game].known_options[ROUNDS].default:
        return f"Fewest points win. The match ends when a player has {ENDS_AT}."
    rounds = "one round" if most == "1" else f"{most} rounds, or when a player has {ENDS_AT}"
    return f"Fewest points win. The match ends after {rounds}."


class Step(NamedTuple):
    """A step of a lesson and the cards, dice and tokens of its picture."""

    title: str
    text: str
    cards: tuple[str, ...] = ()
    dice: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()


AIM = Step(
    "Get rid of your cards",
    "Cards that you hold when a round ends cost points. Fewest points win. The match ends at 40 "
    "points, or after a set number of rounds.",
    tokens=("1", "10"),
)
PLAY = Step(
    "Play the same or the next",
    "On a 3 you may play a 3 or a 4. After 6 comes the llama, after the llama the 1.",
    cards=("3", "4", "5", "6", "llama", "1"),
)
CHOOSE = Step(
    "Or draw, or quit",
    "Drawing a card ends your turn. Quit, and you are out of the round: your cards cost what they "
    "are worth now, before they get worse.",
)
COUNT = Step(
    "Each value costs once",
    "Three 5s cost 5, all your llamas together 10: these cards cost 15.",
    cards=("5", "5", "5", "llama", "llama"),
)
EMPTY = Step(
    "An empty hand pays",
    "Play your last card and the round is over: you score nothing and may give a token back, "
    "best of all a black one.",
    tokens=("10",),
)

LESSONS: dict[str, tuple[Step, ...]] = {
    "lama": (AIM, PLAY, CHOOSE, COUNT, EMPTY),
    "party": (
        AIM,
        PLAY,
        Step(
            "A plus card plays again",
            "It counts as its number. Play it and you take another turn at once.",
            cards=("4", "4+", "5"),
        ),
        Step(
            "The pink llama goes anywhere",
            "Play it on any card. Do not keep it: with it, the llamas in your hand cost 20.",
            cards=("2", "pink", "1"),
        ),
        CHOOSE,
        COUNT,
        EMPTY,
    ),
    "dice": (
        AIM._replace(
            text="Your cards lie open. The cards left when a round ends cost points. Fewest "
            "points win. The match ends at 40 points, or after a set number of rounds."
        ),
        Step(
            "Roll, or quit",
            "On your turn roll all three dice, or leave the round with the cards you have.",
            dice=("2", "llama", "5"),
        ),
        Step(
            "Discard what you rolled",
            "If a die shows a card of your row, discard at least one such card.",
            cards=("2", "5"),
        ),
        Step(
            "No match? The llama row",
            "Take a card that a die shows from the row in the middle. If you cannot, you bust: "
            "you take the whole row and the round is over.",
            cards=("1", "2", "3", "4", "5", "6", "llama"),
        ),
        COUNT,
        EMPTY._replace(
            text="Discard your last card and the round is over: you score nothing, and "
            "you may give a token back. Three llamas let you do that, too."
        ),
    ),
    "kadabra": (
        AIM,
        PLAY._replace(
            text="On a 3 you may play a 3 or a 4. After 6 comes the llama, after the "
            "llama the 1. A double card is both of its numbers.",
            cards=("2/3", "4", "5", "6", "llama", "1"),
        ),
        Step(
            "Three signs on the cards",
            "The circle gives one of your tokens away. The square makes the next player draw. The "
            "star brings you the magic token, which costs 10 when the round ends.",
            cards=("1o", "3#", "5*"),
        ),
        Step(
            "Llamas feed the stage",
            "A llama puts one of your tokens on the stage. Once five lie there, play a llama or "
            "take them all.",
            cards=("llama",),
            tokens=("1", "1", "1", "1", "1"),
        ),
        CHOOSE,
        COUNT,
        EMPTY,
    ),
}


def lesson(game: str) -> tuple[Step, ...]:
    """The steps of a game's lesson; empty for a game without one."""
    return LESSONS.get(game, ())


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
