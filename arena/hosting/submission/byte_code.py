"""Where byte code is in a tree: in `__pycache__` beside the file that it is of, for one Python.

It is always the build's, never the author's: what is played is what can be read in the source.
"""

from __future__ import annotations

import sys

from arena.hosting.submission.files import check_name

FOLDER, ENDING = "__pycache__", ".pyc"


def is_byte_code(name: str) -> bool:
    """Whether Python could take a file of this name for byte code."""
    return FOLDER in name.split("/") or name.endswith(ENDING)


def place_of(source: str) -> str:
    """The name of the byte code of a `.py` file, for the Python that this is. Raises InvalidRequest
    if it is no name of a file in a tree."""
    folder, _, file = source.rpartition("/")
    stem = file.removesuffix(".py")
    within = f"{folder}/{FOLDER}" if folder else FOLDER
    return check_name(f"{within}/{stem}.{sys.implementation.cache_tag}{ENDING}")
