"""Tickets: the numbers that tie an answer to its decision."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

CHUNK = 512  # drawn at a time: asking the system for each would take longer than the rest
LARGEST = (1 << 63) - 1


def tickets() -> Iterator[int]:
    """Numbers from 1 to 2**63 - 1 without end, each drawn by itself.

    Consecutive ones would tell a bot how many decisions others had meanwhile, and the gaps between
    its own which moves were forced.
    """
    layout = struct.Struct(f"<{CHUNK}Q")
    while True:
        for number in layout.unpack(os.urandom(layout.size)):
            if ticket := number & LARGEST:
                yield ticket
