"""Cards and tokens, drawn by the stylesheet. Unknown cards are text in a frame."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from markupsafe import Markup

DRAWN = {"llama": "card-llama", "pink": "card-llama card-pink"}
NAMES = {
    "llama": "Llama: costs 10",
    "pink": "Pink llama: goes on any card; llamas in a hand with it cost 20",
}

# Kadabra's cards with two values.
DOUBLE = re.compile(r"([1-9])/([1-9])", re.ASCII)

# Numbers, some with a sign: + of the Party Edition, o, # and * of Kadabra.
NUMBER = re.compile(r"([1-9])([+o#*]?)", re.ASCII)
SIGNS = {"+": "+", "o": "○", "#": "□", "*": "★"}
MEANINGS = {
    "+": "the player goes again",
    "o": "the player gives a token away",
    "#": "makes the next player draw a card",
    "*": "the player takes the magic token",
}


@lru_cache(maxsize=256)
def card(text: str, extra: str = "") -> Markup:
    """Return a card by its name in notation, such as "3", "llama" or "2*".

    Special cards have a tooltip with their meaning.
    """
    number, double = NUMBER.fullmatch(text), DOUBLE.fullmatch(text)
    if number and number[2]:
        sign = Markup("{}<i>{}</i>").format(number[1], SIGNS[number[2]])
        return _drawn(f"card-{number[1]}", extra, sign, f"{number[1]}: {MEANINGS[number[2]]}")
    if double:
        both = f"Double card: a {double[1]} and a {double[2]}"
        return _drawn(f"card-{double[1]} card-double to-{double[2]}", extra, text, both)
    kind = f"card-{text}" if number else DRAWN.get(text, "card-other")
    return _drawn(kind, extra, text, NAMES.get(text, ""))


def _drawn(kind: str, extra: str, label: str, tip: str) -> Markup:
    title = Markup(' title="{}"').format(tip) if tip else ""
    return Markup('<span class="{}"{}><span>{}</span></span>').format(
        f"card {kind} {extra}".strip(), title, label
    )


def cards(texts: Iterable[str]) -> Markup:
    """Return a hand, with spaces between the cards for screen readers and copying."""
    return Markup('<span class="hand">{}</span>').format(Markup(" ").join(map(card, texts)))


def token(points: str) -> Markup:
    """Return a token by its points: white ones count 1, black ones 10, others are pink."""
    kind = {"1": "token-1", "10": "token-10"}.get(points, "token-other")
    return Markup('<span class="token {}" title="{}">{}</span>').format(
        kind, "1 point" if points == "1" else f"{points} points", points
    )
