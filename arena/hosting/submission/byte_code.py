"""Names of byte code files in a build artifact: in `__pycache__` next to the source.

Only the build creates byte code, never the author, so that the bot plays as its source reads.
"""

from __future__ import annotations

import sys

from arena.hosting.submission.files import check_name

FOLDER, ENDING = "__pycache__", ".pyc"


def is_byte_code(name: str) -> bool:
    """Return whether Python could load a file of this name as byte code."""
    return FOLDER in name.split("/") or name.endswith(ENDING)


def place_of(source: str) -> str:
    """Return the name of a `.py` file's byte code in this Python. Raises InvalidRequest
    if a submission cannot have a file of that name."""
    folder, _, file = source.rpartition("/")
    stem = file.removesuffix(".py")
    within = f"{folder}/{FOLDER}" if folder else FOLDER
    return check_name(f"{within}/{stem}.{sys.implementation.cache_tag}{ENDING}")
