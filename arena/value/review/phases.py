"""Phases: kinds of decisions, such as when to quit or which card to play."""

from __future__ import annotations

from typing import Final

# In the order of lists. No game has all of them.
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
    """Return the phase, a key of PHASES. In an ordinary turn it depends on the best and the chosen
    action, in notation."""
    if ask in BY_ASK:
        return BY_ASK[ask]
    both = (best, chosen)
    if "quit" in both:
        return "quit"
    if any(action in MAGIC for action in both):
        return "magic"
    return "draw" if "draw" in both else "play"
