"""The arena's own bots, which connect like anybody's: `python -m arena.bots NAME`."""

from arena.bots.lama import Careful, Five, Random, Sharp, Stubborn, Timid
from arena.sdk.bot import Bot

# By registered name, from weak to strong.
HOUSE: dict[str, type[Bot]] = {
    "random": Random,
    "timid": Timid,
    "stubborn": Stubborn,
    "five": Five,
    "careful": Careful,
    "sharp": Sharp,
}

__all__ = ["HOUSE"]
