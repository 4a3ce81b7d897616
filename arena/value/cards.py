"""Numeric properties of the cards of all games, for strategies."""

from functools import cache

LLAMAS = ("llama", "pink")
ICONS = "+o#*"
CIRCLE = 7  # length of the cycle: 1 to 6, then the llama


@cache
def values(card: str) -> tuple[int, ...]:
    """Return the values of a card in the cycle: 1 to 6, llamas 7. A double card has two."""
    if card in LLAMAS:
        return (CIRCLE,)
    return tuple(int(value) for value in card.rstrip(ICONS).split("/"))


@cache
def worth(card: str) -> int:
    """Return the penalty points of a card if it is the only one of its value."""
    if card in LLAMAS:
        return 20 if card == "pink" else 10
    return sum(values(card))


@cache
def steps(card: str, top: str) -> int:
    """Return the steps up the cycle from the top card to this card; 0 is the same value."""
    if card == "pink":
        return 0
    return min((value - under) % CIRCLE for value in values(card) for under in values(top))
