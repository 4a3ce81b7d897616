"""Array types, and functions on bit masks that all games use."""

from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from arena.games.rules.game import MOST_SEATS

Bool: TypeAlias = npt.NDArray[np.bool_]
Int: TypeAlias = npt.NDArray[Any]  # of any integer type
Int8: TypeAlias = npt.NDArray[np.int8]
Int16: TypeAlias = npt.NDArray[np.int16]
Index: TypeAlias = npt.NDArray[np.intp]
UInt8: TypeAlias = npt.NDArray[np.uint8]
UInt32: TypeAlias = npt.NDArray[np.uint32]
UInt64: TypeAlias = npt.NDArray[np.uint64]
Array = TypeVar("Array", bound=npt.NDArray[Any])


def _next_seats() -> Int8:
    """Returns by active seats (bits) and seat: the next active seat, the same one if alone. Seat 7,
    which is -1 in three bits, stays -1: no seat acts in a finished game."""
    table = np.full((1 << MOST_SEATS, 8), -1, np.int8)
    for active in range(1 << MOST_SEATS):
        for seat in range(MOST_SEATS):
            seats = [(seat + step) % MOST_SEATS for step in range(1, MOST_SEATS + 1)]
            table[active, seat] = next((one for one in seats if active >> one & 1), seat)
    return table.ravel()


NEXT_SEATS = _next_seats()


def next_seats(active: UInt8, seat: Int8) -> Int8:
    """Returns the next seat to the left that has not quit, or the same if alone (COM-2, -3)."""
    return NEXT_SEATS.take((active.astype(np.uint16) << 3) | (seat & 7))


def several(bits: UInt8) -> Bool:
    """Whether more than one bit is set."""
    found: Bool = (bits & (bits - np.uint8(1))) != 0
    return found


def entries(array: Array, rows: Index, columns: Int) -> Array:
    """Returns array[rows, columns], several times as fast. The indices are broadcast."""
    cells = array.reshape(-1, *array.shape[2:])
    found: Array = cells.take(rows * array.shape[1] + columns, axis=0)
    return found


def as_flags(bits: Int, width: int) -> Bool:
    """Returns bit masks (…) as booleans (…, width), the lowest bit first."""
    places = np.arange(width, dtype=bits.dtype)
    flags: Bool = (bits[..., None] >> places & bits.dtype.type(1)).astype(np.bool_)
    return flags


def nth_share(words: UInt32, counts: UInt8) -> UInt8:
    """Returns ⌊word·count / 2³²⌋, a number below each count."""
    return (words.astype(np.uint64) * counts >> np.uint64(32)).astype(np.uint8)


def nth_bit(bits: Int, number: UInt8) -> UInt8:
    """Returns the place of set bit `number`, from 0 and the lowest; 0 without any set bit."""
    left = bits.copy()
    for passed in range(int(number.max())):
        left ^= (left & -left) * (number > passed)
    place: UInt8 = np.bitwise_count((left & -left) - left.dtype.type(1))
    place *= left != 0
    return place


def counted(hands: UInt8, kinds: int) -> UInt8:
    """Counts the cards of each kind in hands (M, seats, C): (M, seats, kinds)."""
    count = hands.shape[0] * hands.shape[1]
    cells = hands.reshape(count, -1) + np.arange(0, count * kinds, kinds)[:, None]
    counts = np.bincount(cells.ravel(), minlength=count * kinds)
    return counts.astype(np.uint8).reshape(*hands.shape[:2], kinds)
