"""The interpreter."""

from __future__ import annotations

import platform
import sys

from arena.service.health.finding import Finding, fine, unknown, wrong

OLDEST, NEWEST = (3, 11), (3, 14)


def examine_python() -> Finding:
    """Whether the arena is tried with it."""
    version = sys.version_info[:2]
    if version < OLDEST:
        return wrong(
            "Python",
            f"This is Python {platform.python_version()}; the arena needs 3.11 or newer.",
            "Install lama-arena with a newer Python.",
        )
    if version > NEWEST:
        return unknown(
            "Python", f"Python {platform.python_version()} is newer than the arena was tried with."
        )
    return fine("Python", f"{platform.python_version()} is one that the arena is tried with.")
