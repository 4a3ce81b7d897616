"""Synthetic luck values for matches, computed without a model."""

import random

import numpy as np

from arena.store import Store
from arena.store import luck as lucks
from arena.tournaments.ratings.match_luck import GAME, KINDS, MatchLuck

MODEL = "made-up 1"


def luck_of(match: str, seats: int) -> MatchLuck:
    """The luck of a match, determined by its id."""
    chance = random.Random(match)
    pairs = [chance.randrange(-GAME // 2, GAME // 2) for _ in range(seats * (seats - 1) // 2)]
    kinds = np.zeros((len(KINDS), seats), dtype=np.int64)
    luck = MatchLuck(seats, np.array(pairs, dtype=np.int64), kinds)
    kinds[0] = luck.by_seat // 2
    kinds[1] = luck.by_seat - kinds[0]
    return luck


def calculate(store: Store, tournament: int, most: int = 1000) -> int:
    """Stores the luck of a tournament's next matches; returns their number."""
    with store.read() as conn:
        found = lucks.next_matches(conn, tournament, most)
    lucky = {match.number: luck_of(match.id, len(match.seats)) for match in found}
    with store.write() as conn:
        return lucks.save_luck(conn, tournament, dict(lucky), MODEL)
