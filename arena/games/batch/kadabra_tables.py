"""Tables from the kinds of cards in LLAMA Kadabra to their icons, values and penalties."""

import numpy as np

from arena.games.batch.arrays import Int16, UInt8, UInt32
from arena.games.rules.kadabra import Kadabra
from arena.games.rules.kadabra_cards import GIVE, LLAMA_VALUE, NEXT_DRAWS, TAKE_MAGIC, VALUES
from arena.games.rules.shedding import PLAY
from arena.games.rules.tokens import TEN

_HALF = 10  # number of kinds in each half of the lookup tables
ICONS = {
    icon: np.array([kind[-1] == icon for kind in Kadabra.kinds])
    for icon in (GIVE, NEXT_DRAWS, TAKE_MAGIC)
}

FORCES_DRAW = np.zeros(256, np.bool_)  # by action
FORCES_DRAW[PLAY : PLAY + len(Kadabra.kinds)] = ICONS[NEXT_DRAWS]


def _values_by_kinds() -> tuple[UInt8, UInt8]:
    """Returns tables from the bits of the lower and upper kinds to the bits of their values."""
    tables = np.zeros((2, 1 << _HALF), np.uint8)
    for kind, values in enumerate(VALUES):
        half, place = divmod(kind, _HALF)
        among = np.arange(1 << _HALF) >> place & 1 == 1
        tables[half, among] |= sum(1 << value - 1 for value in values)
    return tables[0], tables[1]


_LOWER, _UPPER = _values_by_kinds()
_SCORES = np.array(
    [
        sum(TEN if v == LLAMA_VALUE else v for v in range(1, LLAMA_VALUE + 1) if bits >> v - 1 & 1)
        for bits in range(1 << LLAMA_VALUE)
    ],
    np.int16,
)


def penalties(held: UInt32) -> Int16:
    """Returns the penalty of hands by the kinds in them, as bits. Each value counts once, both of a
    double card (KAD-56)."""
    values = _LOWER.take(held & np.uint32((1 << _HALF) - 1)) | _UPPER.take(held >> np.uint32(_HALF))
    return _SCORES.take(values)
