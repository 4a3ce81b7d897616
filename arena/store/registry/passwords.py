"""Passwords of accounts: Argon2id; each hash contains its parameters.

Hash outside of transactions: it is slow on purpose.
"""

import threading
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from arena.base.errors import InvalidRequest

SHORTEST, LONGEST = 10, 200

# OWASP's recommendation for shared memory: 19 MiB, two passes, one thread.
HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# Hashes at the same time in a process, to limit the memory that many forms take.
TOGETHER = threading.BoundedSemaphore(4)


def check_password(password: str, name: str) -> str:
    """Returns the password if the account of that name may have it. Raises InvalidRequest."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidRequest(
            f"A password has {SHORTEST} to {LONGEST} characters. All characters are allowed."
        )
    if name and name.lower() in password.lower() and len(password) < len(name) + SHORTEST:
        raise InvalidRequest("This password is little more than the name. Choose another one.")
    return password


def hashed(password: str) -> str:
    """The hash of a password, to be stored."""
    with TOGETHER:
        return HASHER.hash(password.encode(errors="replace"))


def is_right(password: str, stored: str | None) -> bool:
    """Whether the password matches the hash. With None, for an account that does not exist, it
    takes as long and returns False."""
    stored = stored or _unmatchable()
    try:
        with TOGETHER:
            return HASHER.verify(stored, password[:LONGEST].encode(errors="replace"))
    except (VerificationError, InvalidHashError):
        return False


@lru_cache(maxsize=1)
def _unmatchable() -> str:
    # Longer than passwords may be, so that none matches.
    return hashed("x" * (LONGEST + 1))
