"""The house bots, which connect like any other bot: `python -m arena.bots NAME`.

Six bots, each with a strategy for every game. A new game adds its file of strategies here.
"""

from __future__ import annotations

from arena.bots import dice, kadabra, lama, party
from arena.bots.house import house_bot
from arena.sdk.bot import Bot

STRATEGIES = {
    "lama": lama.STRATEGIES,
    "party": party.STRATEGIES,
    "dice": dice.STRATEGIES,
    "kadabra": kadabra.STRATEGIES,
}

# By name, from weak to strong.
HOUSE: dict[str, type[Bot]] = {
    name: house_bot(name, STRATEGIES)
    for name in ("random", "timid", "stubborn", "five", "careful", "sharp")
}

__all__ = ["HOUSE", "STRATEGIES"]
