"""Each game in one minute: a few steps with cards."""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """A step of a lesson and the cards, dice and tokens of its picture."""

    title: str
    text: str
    cards: tuple[str, ...] = ()
    dice: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()


AIM = Step(
    "Get rid of your cards",
    "Cards that you still hold when a round ends cost points. Fewest points win. The match ends "
    "at 40 points, or after a set round.",
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
            "points win. The match ends at 40 points, or after a set round."
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
