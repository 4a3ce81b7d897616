"""The interpreter."""

from __future__ import annotations

import platform
import sys

from arena.service.health.finding import Finding, fine, unknown, wrong

OLDEST, NEWEST = (3, 11), (3, 14)


def examine_python() -> Finding:
    """Check the version of Python."""
    version = sys.version_info[:2]
    if version < OLDEST:
        return wrong(
            "Python",
            f"Python {platform.python_version()} is too old. The arena needs 3.11 or newer.",
            "Install lama-arena with a newer Python.",
        )
    if version > NEWEST:
        return unknown(
            "Python", f"The arena is not tested with Python {platform.python_version()}."
        )
    return fine("Python", f"Version {platform.python_version()} is supported.")
