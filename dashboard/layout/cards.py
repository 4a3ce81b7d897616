"""Cards and tokens, drawn by the stylesheet. A card it has no drawing for is text in a frame."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup

NUMBER = re.compile(r"[1-9]", re.ASCII)


def card(text: str, extra: str = "") -> Markup:
    """One card by its name in notation: "3", "llama", or any other."""
    kinds = f"card {_kind(text)} {extra}".strip()
    return Markup('<span class="{}"><span>{}</span></span>').format(kinds, text)


def cards(texts: Iterable[str]) -> Markup:
    """A hand. The spaces between the cards are for those who listen or copy."""
    return Markup('<span class="hand">{}</span>').format(Markup(" ").join(map(card, texts)))


def token(points: str) -> Markup:
    """A token of so many points: white ones count 1, black ones 10."""
    kind = "token-10" if points == "10" else "token-1"
    return Markup('<span class="token {}">{}</span>').format(kind, points)


def _kind(text: str) -> str:
    if text == "llama":
        return "card-llama"
    return f"card-{text}" if NUMBER.fullmatch(text) else "card-other"
