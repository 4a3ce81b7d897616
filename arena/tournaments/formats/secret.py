"""What a tournament's cards, match ids and schedule follow from: a secret of 256 bits.

Whoever knew it would know all cards, so nobody is shown it before the end, the organiser neither.
What is published when the tournament is made is the *commitment*, SHA-256 of the secret; when it
is over the secret itself, from which a stranger makes everything again
(`arena.tournaments.formats.audit`):

    HMAC-SHA-256 under the secret of "lama-arena/<purpose>", a zero byte, and the tournament's and
    another number, 8 bytes each, big-endian

    purpose      number      of the 32 bytes
    deal         deal        the first 16: the seed of all its shuffles and rolls
    match        position    the first 10 as base32: the match's id
    schedule     0           the first 8 as a number: the seed of the schedule (`TournamentSpec`)

Nobody who has seen some of these can tell others, or the secret. Since the tournament's number is
part of it, no two tournaments have cards in common.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from hashlib import sha256

from arena.tournaments.formats.deals import encoded_id

SECRET_BYTES = 32
SALT_BYTES = 16  # beside the number of a repeatable tournament
# Where all bots are the arena's own: the same seed gives the same deals, and nobody gains by them.
OPEN_SALT = "00" * SALT_BYTES


def commitment(secret: bytes) -> bytes:
    """What is published of a secret beforehand (32 bytes)."""
    return sha256(secret).digest()


def repeatable(number: int, salt: bytes = b"") -> bytes:
    """The secret of a repeatable tournament: of a number below 2**64 and 16 random bytes.

    The commitment, match ids and cards are public before the end, so a number alone is guessed by
    trying. Matches on an author's machine need no salt.
    """
    return sha256(b"lama-arena/repeatable\0" + number.to_bytes(8, "big") + salt).digest()


@dataclass(frozen=True, slots=True)
class FromSecret:
    """What follows from the secret of a tournament."""

    secret: bytes = field(repr=False)
    tournament: int

    def deal_seed(self, deal: int) -> bytes:
        """The 16 bytes from which all shuffles of a deal follow."""
        return self._derive("deal", deal)[:16]

    def match_id(self, position: int) -> str:
        """The id (16 characters, 80 bits) of the match at a position of the schedule."""
        return encoded_id(self._derive("match", position))

    @property
    def schedule_seed(self) -> int:
        """The number below 2**64 that says who sits where; nothing about cards follows from it."""
        return int.from_bytes(self._derive("schedule", 0)[:8], "big")

    def _derive(self, purpose: str, number: int) -> bytes:
        numbers = self.tournament.to_bytes(8, "big") + number.to_bytes(8, "big")
        return hmac.digest(self.secret, b"lama-arena/" + purpose.encode() + b"\0" + numbers, sha256)
