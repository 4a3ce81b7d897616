"""The sets of actions that can be legal in LAMA Dice, by number."""

from functools import cache

import numpy as np

from arena.games.batch.arrays import Bool, UInt8
from arena.games.rules.dice import QUIT, ROLL, TAKE, Dice, discards

NO_MATCH = 7  # in place of the value of a die that does not match
VALUES = 7

# Only these sets of actions can be legal. Games store the number of one.
NOTHING, ROLL_OR_QUIT = 0, 1
FIRST_RETURN = 2  # 2 + bits: "keep", and the returns of these bits
FIRST_TAKE = FIRST_RETURN + 4  # + bits: takes of these values
FIRST_MATCH = FIRST_TAKE + (1 << VALUES)  # + 64a + 8b + c: discards if a, b and c match


@cache
def legal_sets() -> tuple[UInt8, UInt8, Bool]:
    """Returns by set: its size (L,), its actions ascending (L, 7), and as flags (L, A)."""
    keep = Dice.keep
    sets: list[tuple[int, ...]] = [(), (QUIT, ROLL)]
    sets += [(keep, *(keep + 1 + k for k in range(2) if bits >> k & 1)) for bits in range(4)]
    sets += [tuple(TAKE + v for v in range(VALUES) if bits >> v & 1) for bits in range(1 << VALUES)]
    for code in range(8**3):
        values = sorted(v for v in (code // 64, code // 8 % 8, code % 8) if v != NO_MATCH)
        sets.append(discards(tuple(values)))
    counts = np.array([len(actions) for actions in sets], np.uint8)
    actions = np.zeros((len(sets), 7), np.uint8)
    flags = np.zeros((len(sets), len(Dice.notation)), np.bool_)
    for number, among in enumerate(sets):
        actions[number, : len(among)] = among[:7]
        flags[number, list(among)] = True
    return counts, actions, flags
