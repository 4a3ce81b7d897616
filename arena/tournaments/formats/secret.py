"""The 256-bit secret from which a tournament's cards, match ids and schedule are derived.

Knowing the secret means knowing all cards, so it stays hidden until the tournament ends, even
from the organiser. When the tournament is created, the *commitment* is published, SHA-256 of the
secret. After the end the secret itself is published, and anyone can recompute all values
(`arena.tournaments.formats.audit`). Each value is

    HMAC-SHA-256, keyed with the secret, of "lama-arena/<purpose>", a zero byte, the tournament's
    number and another number, 8 bytes each, big-endian

    purpose      number      bytes used, of 32
    deal         deal        first 16: the seed of all its shuffles and rolls
    match        position    first 10 as base32: the match's id
    schedule     0           first 8 as a number: the seed of the schedule (`TournamentSpec`)

Known values reveal neither other values nor the secret. The tournament's number is part of the
input, so no two tournaments have the same cards.
"""

import hmac
from dataclasses import dataclass, field
from hashlib import sha256

from arena.tournaments.formats.deals import encoded_id

SECRET_BYTES = 32
SALT_BYTES = 16  # of a repeatable tournament, in addition to its number
# For tournaments of house bots only: the same seed gives the same deals, and no author gains by it.
OPEN_SALT = "00" * SALT_BYTES


def commitment(secret: bytes) -> bytes:
    """Returns the commitment to a secret (32 bytes), published when the tournament is created."""
    return sha256(secret).digest()


def repeatable(number: int, salt: bytes = b"") -> bytes:
    """Returns the secret of a repeatable tournament, from a number below 2**64 and a salt.

    The commitment, match ids and cards are public before the end, so a number alone could be found
    by trying all. The salt (16 random bytes) prevents this. Local matches do not need one.
    """
    return sha256(b"lama-arena/repeatable\0" + number.to_bytes(8, "big") + salt).digest()


@dataclass(frozen=True, slots=True)
class FromSecret:
    """Values derived from the secret of a tournament."""

    secret: bytes = field(repr=False)
    tournament: int

    def deal_seed(self, deal: int) -> bytes:
        """Returns the 16 bytes from which all shuffles of a deal are derived."""
        return self._derive("deal", deal)[:16]

    def match_id(self, position: int) -> str:
        """Returns the id (16 characters, 80 bits) of the match at `position` in the schedule."""
        return encoded_id(self._derive("match", position))

    @property
    def schedule_seed(self) -> int:
        """The seed (below 2**64) of the schedule. It reveals nothing about the cards."""
        return int.from_bytes(self._derive("schedule", 0)[:8], "big")

    def _derive(self, purpose: str, number: int) -> bytes:
        numbers = self.tournament.to_bytes(8, "big") + number.to_bytes(8, "big")
        return hmac.digest(self.secret, b"lama-arena/" + purpose.encode() + b"\0" + numbers, sha256)


@dataclass(frozen=True, slots=True)
class OnSharedDeal(FromSecret):
    """Values of a match whose cards come from another secret, which several matches share: a
    daily deal. Its id comes from its own."""

    cards: FromSecret

    def deal_seed(self, deal: int) -> bytes:
        """Returns the 16 bytes from which all shuffles are derived."""
        return self.cards.deal_seed(deal)
