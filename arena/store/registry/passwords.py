"""Passwords of accounts: Argon2id, the parameters kept with each hash.

To be used outside of transactions: a hash takes some hundredths of a second on purpose.
"""

from __future__ import annotations

import threading
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from arena.base.errors import InvalidRequest

SHORTEST, LONGEST = 10, 200

# What OWASP recommends where memory is shared with other work: 19 MiB, two passes, one thread.
HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# Hashes at once in one process: many forms together shall not take memory for each.
TOGETHER = threading.BoundedSemaphore(4)


def check_password(password: str, name: str) -> str:
    """The password, if the account of that name may have it. Raises InvalidRequest."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidRequest(
            f"A password has {SHORTEST} to {LONGEST} characters; any will do, also spaces."
        )
    if name and name.lower() in password.lower() and len(password) < len(name) + SHORTEST:
        raise InvalidRequest("This password is little more than the name: take another one.")
    return password


def hashed(password: str) -> str:
    """What is stored of a password."""
    with TOGETHER:
        return HASHER.hash(password.encode(errors="replace"))


def is_right(password: str, stored: str | None) -> bool:
    """Whether the password is the one of that hash.

    With None, for an account that does not exist, it takes as long and is not.
    """
    stored = stored or _nobodys()
    try:
        with TOGETHER:
            return HASHER.verify(stored, password[:LONGEST].encode(errors="replace"))
    except (VerificationError, InvalidHashError):
        return False


@lru_cache(maxsize=1)
def _nobodys() -> str:
    # Longer than a password may be, so none is right.
    return hashed("x" * (LONGEST + 1))
