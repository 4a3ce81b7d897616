"""Shuffles that depend only on a seed, not on the players' actions.

Frozen since ruleset version 1. Test vectors for other languages: tests/golden/shuffles.json.

    stream = SHAKE-256(seed ‖ "deck" ‖ round as 4 bytes, big-endian)
    words  = the stream cut into 4-byte big-endian numbers w₁, w₂, …
    for i = n-1, n-2, …, 1:      (Fisher-Yates from the end; the deck starts in the game's order)
        take the next word w;  j = ⌊w·(i+1) / 2³²⌋;  swap cards i and j

The seed is 16 bytes. The bias of the multiplication is below 2⁻²⁶ for any card.
"""

import hashlib
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from mypy_extensions import i64  # a native integer for the compiler

SEED_BYTES: Final = 16

Card = TypeVar("Card")


def shuffled(seed: bytes, round_number: int, deck: Sequence[Card]) -> list[Card]:
    """Returns `deck` shuffled for round `round_number` (from 1); index 0 is the top."""
    cards = list(deck)
    last = len(cards) - 1
    stream = hashlib.shake_256(seed + b"deck" + round_number.to_bytes(4, "big"))
    words: tuple[int, ...] = struct.unpack(f">{last}I", stream.digest(4 * last))
    left: i64 = last + 1
    word: i64
    for word in words:
        j = word * left >> 32
        left -= 1
        cards[left], cards[j] = cards[j], cards[left]
    return cards


def commitment(match_id: str, seed: bytes) -> bytes:
    """Returns SHA-256(match id ‖ seed), sent to bots before a match to verify the deal later."""
    return hashlib.sha256(match_id.encode() + seed).digest()
