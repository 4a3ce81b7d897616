"""Cards and tokens, drawn by the stylesheet. A card it has no drawing for is text in a frame."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup

DRAWN = {"llama": "card-llama", "pink": "card-llama card-pink"}

# Numbers, some with a sign: Party Edition's +, Kadabra's special cards.
NUMBER = re.compile(r"([1-9])([+o#*]?)", re.ASCII)
SIGNS = {"": "", "+": "+", "o": "○", "#": "□", "*": "★"}


def card(text: str, extra: str = "") -> Markup:
    """One card by its name in notation: "3", "llama", "2*", or any other."""
    number = NUMBER.fullmatch(text)
    kind = f"card-{number[1]}" if number else DRAWN.get(text, "card-other")
    label = number[1] + SIGNS[number[2]] if number else text
    return Markup('<span class="{}"><span>{}</span></span>').format(
        f"card {kind} {extra}".strip(), label
    )


def cards(texts: Iterable[str]) -> Markup:
    """A hand. The spaces between the cards are for those who listen or copy."""
    return Markup('<span class="hand">{}</span>').format(Markup(" ").join(map(card, texts)))


def token(points: str) -> Markup:
    """A token of so many points: white ones count 1, black ones 10, others are pink."""
    kind = {"1": "token-1", "10": "token-10"}.get(points, "token-other")
    return Markup('<span class="token {}">{}</span>').format(kind, points)
