"""How single values are written in the rows of `arena.games.rules.packed`."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

VERSION: Final = 1  # of the layout; whoever reads rows says which one they know
MATCH: Final = 16  # bytes of a match id, filled up with zeros
NONE: Final = 255  # no card, no further action, no die
POOL: Final = 254  # where the magic token is, if no seat has it
STAGE: Final = 253


def match_bytes(match: str) -> bytes:
    """A match's id in a row. Raises ValueError if it does not fit."""
    encoded = match.encode("ascii")
    if len(encoded) > MATCH:
        raise ValueError(f"the match id {match[:40]!r} is longer than {MATCH} characters")
    return encoded.ljust(MATCH, b"\0")


@lru_cache(16_384)
def padded(values: tuple[int, ...], width: int) -> bytes:
    """Some numbers below 255 in so many bytes. Raises ValueError if they do not fit."""
    packed = bytes(values)
    if len(packed) > width:
        raise ValueError(f"{len(packed)} values where {width} are the most")
    return packed.ljust(width, b"\xff")
