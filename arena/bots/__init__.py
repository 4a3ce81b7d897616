"""The house bots, which connect like any other bot: `python -m arena.bots NAME`.

Six bots have a strategy for every game. To support a new game, add its strategies here; until
then, only `random` plays it. Two other bots play with neural models and need NumPy.
"""

from collections.abc import Iterable, Mapping

from arena.bots import dice, kadabra, lama, party
from arena.bots.house import Random, Strategy, house_bot
from arena.bots.learnt import Master, Student
from arena.games.rules import GAMES
from arena.sdk.bot import Bot

STRATEGIES: dict[str, Mapping[str, Strategy]] = {
    "lama": lama.STRATEGIES,
    "party": party.STRATEGIES,
    "dice": dice.STRATEGIES,
    "kadabra": kadabra.STRATEGIES,
}


def strategies(games: Iterable[str]) -> dict[str, Mapping[str, Strategy]]:
    """By game, its strategies by name. A game without its own is only played at random."""
    return {game: STRATEGIES.get(game, {"random": Random()}) for game in games}


# By name, from weak to strong. `arena up` starts them, and they anchor ratings.
HOUSE: dict[str, type[Bot]] = {
    name: house_bot(name, strategies(GAMES))
    for name in ("random", "timid", "stubborn", "five", "careful", "sharp")
}

# All house bots, including those that play with models.
BOTS: dict[str, type[Bot]] = {**HOUSE, "student": Student, "master": Master}

# How each plays, in a few words for its opponents.
CHARACTERS = {
    "random": "plays at random",
    "timid": "quits early, with up to 20 points",
    "stubborn": "hardly ever quits",
    "five": "quits with five points or fewer",
    "careful": "quits in time when a hand gets short",
    "sharp": "weighs each card against the risk",
    "student": "plays by a trained net",
    "master": "looks ahead",
}

__all__ = ["BOTS", "CHARACTERS", "HOUSE", "STRATEGIES"]
