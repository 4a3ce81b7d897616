"""What bots draw from the generators of `random` and `numpy.random` follows from the match, too.

They are seeded before each call of a bot: so it draws the same whatever was played before, in
whichever process, and when it is asked once more under the debugger.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from arena.games.rules import View

HASH_SEED = "PYTHONHASHSEED"


def seed_generators(key: bytes, call: str) -> None:
    """Seeds them for one call of a bot with this key."""
    digest = sha256(key + b"generators " + call.encode()).digest()
    random.seed(int.from_bytes(digest[:8], "big"))
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(int.from_bytes(digest[:4], "big"))


def seed_for_decision(view: View) -> None:
    """Seeds them for a decision; the view has the bot's key."""
    seed_generators(view.key, f"{view.match} {view.number} {view.seat}")


def seed_for_hook(key: bytes, match: str, hook: object, rounds: int) -> None:
    """Seeds them for a hook that is called when so many rounds have begun."""
    seed_generators(key, f"{match} {getattr(hook, '__name__', '')} {rounds}")


@contextmanager
def fixed_hashes() -> Iterator[None]:
    """Sets of texts have the same order in all processes that are started within, and in all
    runs, unless the user has said otherwise."""
    given = os.environ.get(HASH_SEED)
    os.environ.setdefault(HASH_SEED, "0")
    try:
        yield
    finally:
        if given is None:
            del os.environ[HASH_SEED]
