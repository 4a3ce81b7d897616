"""Schedules as arrays: a row of bots for each deal."""

import numpy as np
from numpy.typing import NDArray

Tables = NDArray[np.int64]


def balanced(bots: int, seats: int, matches: int, chance: np.random.Generator) -> Tables:
    """Each bot plays equally often, about `matches` times, against random opponents."""
    count = max(1, round(bots * matches / seats))
    rounds = np.arange(count * seats) // bots  # the round of each place
    turns = chance.permuted(np.tile(np.arange(bots), (rounds[-1] + 1, 1)), axis=1)
    tables = turns.ravel()[: count * seats].reshape(count, seats)
    return _without_twins(tables, bots, chance)


def _without_twins(tables: Tables, bots: int, chance: np.random.Generator) -> Tables:
    """Replaces a bot that got two seats at one table, as happens between rounds, by another."""
    for row in np.flatnonzero((np.diff(np.sort(tables, axis=1), axis=1) == 0).any(axis=1)):
        free = np.ones(bots, dtype=bool)
        free[tables[row]] = False
        kept = sorted({*tables[row].tolist()})
        more = chance.choice(np.flatnonzero(free), tables.shape[1] - len(kept), replace=False)
        tables[row] = [*kept, *more]
    return tables


def unequal(bots: int, seats: int, matches: int, chance: np.random.Generator) -> Tables:
    """Two random bots play `matches` times, and all others twenty times as often."""
    order = chance.permutation(bots)
    many = balanced(bots - 2, seats, 20 * matches, chance)
    few = np.array(
        [
            [bots - 2 + late, *chance.choice(bots - 2, seats - 1, replace=False)]
            for late in range(2)
            for _ in range(matches)
        ]
    )
    return np.asarray(order[np.concatenate([many, few])])


def chain(bots: int, seats: int, matches: int, chance: np.random.Generator) -> Tables:
    """Neighbours only, at tables of two: 0 and 1, 1 and 2, and so on."""
    links = [[bot, bot + 1] for bot in range(bots - 1)]
    return np.repeat(np.array(links), max(1, matches // 2), axis=0)
