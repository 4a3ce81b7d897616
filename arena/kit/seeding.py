"""Repeatable random numbers for bots that use `random` and `numpy.random`.

The generators are seeded from the match before each call of a bot. So it draws the same numbers in
any process, and again under the debugger.
"""

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from arena.games.rules import View

HASH_SEED = "PYTHONHASHSEED"


def seed_generators(key: bytes, call: str) -> None:
    """Seed the generators for one call of a bot with this key."""
    digest = sha256(key + b"generators " + call.encode()).digest()
    random.seed(int.from_bytes(digest[:8], "big"))
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(int.from_bytes(digest[:4], "big"))


def seed_for_decision(view: View) -> None:
    """Seed the generators for a decision."""
    seed_generators(view.key, f"{view.match} {view.number} {view.seat}")


def seed_for_hook(key: bytes, match: str, hook: object, rounds: int) -> None:
    """Seed the generators for a hook, called after `rounds` rounds have started."""
    seed_generators(key, f"{match} {getattr(hook, '__name__', '')} {rounds}")


@contextmanager
def fixed_hashes() -> Iterator[None]:
    """Fix the hash seed of processes started in this context, so that sets of strings have the
    same order. A PYTHONHASHSEED set by the user is kept."""
    given = os.environ.get(HASH_SEED)
    os.environ.setdefault(HASH_SEED, "0")
    try:
        yield
    finally:
        if given is None:
            del os.environ[HASH_SEED]
