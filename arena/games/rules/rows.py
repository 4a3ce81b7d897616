"""Encoding of single values in the rows of `arena.games.rules.packed`."""

from functools import lru_cache
from typing import Final

VERSION: Final = 1  # of the layout; clients declare the version that they read
MATCH: Final = 16  # bytes of a match id, padded with zeros
NONE: Final = 255  # no card, no further action, no die
POOL: Final = 254  # the magic token is in the pool
STAGE: Final = 253


def match_bytes(match: str) -> bytes:
    """Returns a match id as it is in a row. Raises ValueError if it does not fit."""
    encoded = match.encode("ascii")
    if len(encoded) > MATCH:
        raise ValueError(f"the match id {match[:40]!r} is longer than {MATCH} characters")
    return encoded.ljust(MATCH, b"\0")


@lru_cache(16_384)
def padded(values: tuple[int, ...], width: int) -> bytes:
    """Returns numbers below 255 in `width` bytes. Raises ValueError if they do not fit."""
    packed = bytes(values)
    if len(packed) > width:
        raise ValueError(f"{len(packed)} values do not fit into {width}")
    return packed.ljust(width, b"\xff")
