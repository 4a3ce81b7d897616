"""The hand-written house bots (`arena.bots`), for many games at once.

    policy = house_policy("lama", "sharp")
    games.step(policy(games, rng))

They choose what the bots of these names choose; tests compare them in every decision.
"""

from __future__ import annotations

from arena.value.house.cards import CARD_STYLES
from arena.value.house.dice import DICE_STYLES
from arena.value.policy import Policy, random_actions

NAMES = ("random", "timid", "stubborn", "five", "careful", "sharp")  # from weak to strong


def house_policy(game: str, name: str) -> Policy:
    """How a house bot plays a game. KeyError for a name that is none of `NAMES`, or a game for
    which nobody has written it."""
    if name == "random":
        return random_actions
    styles = DICE_STYLES if game == "dice" else CARD_STYLES[game]
    return styles[name]


__all__ = ["NAMES", "house_policy"]
