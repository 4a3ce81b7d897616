"""Actions as text: "play 4" becomes "plays" and the card 4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

VERBS = {
    "collect": "collects",
    "discard": "discards",
    "draw": "draws",
    "give": "gives",
    "keep": "keeps",
    "play": "plays",
    "quit": "quits",
    "return": "returns",
    "roll": "rolls",
    "swap": "swaps",
    "take": "takes",
}
OF_CARDS = ("discard", "play", "take")


class Words(NamedTuple):
    """A verb with its cards, token or further text."""

    verb: str
    cards: tuple[str, ...] = ()
    token: str = ""
    more: str = ""


def in_words(action: str, seat: int, names: Sequence[str]) -> Words:
    """Return an action as text; unknown actions are returned unchanged."""
    verb, _, what = action.partition(" ")
    if verb not in VERBS:
        return Words(action)
    if verb in OF_CARDS:
        return Words(VERBS[verb], tuple(what.split()))
    if verb == "return" and what.isdigit():
        return Words(VERBS[verb], token=what)
    if verb == "give" and what[:1] == "+" and what[1:].isdigit():
        # The number is the receiver's distance to the left.
        return Words(VERBS[verb], more=f"to {names[(seat + int(what[1:])) % len(names)]}")
    return Words(VERBS[verb], more=what)
