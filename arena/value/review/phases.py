"""The kind of choice that a decision was: when to quit, what to keep, what to put aside."""

from __future__ import annotations

from typing import Final

# In the order in which they are listed; a game has some of them.
PHASES: Final = {
    "quit": "when to quit",
    "draw": "play or draw",
    "play": "which card to play",
    "discard": "which dice to discard by",
    "take": "which card to take",
    "show": "in a magic show",
    "magic": "the magic token",
    "give": "who gets a token",
    "keep": "which token to return",
}
BY_ASK: Final = {
    "return": "keep",
    "discard": "discard",
    "take": "take",
    "show": "show",
    "give": "give",
}
MAGIC: Final = ("swap", "return magic", "collect")


def phase_of(ask: str, best: str, chosen: str) -> str:
    """The phase, a key of PHASES: what the game asked, and in an ordinary turn what there was to
    choose between: the best action and the one chosen, in notation."""
    if ask in BY_ASK:
        return BY_ASK[ask]
    both = (best, chosen)
    if "quit" in both:
        return "quit"
    if any(action in MAGIC for action in both):
        return "magic"
    return "draw" if "draw" in both else "play"
