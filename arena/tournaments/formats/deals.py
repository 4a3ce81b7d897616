"""What is derived from a seed: the order of a schedule, and deals that nobody has to keep secret.

All is SHA-256 of a prefix naming the purpose and of 64-bit big-endian numbers, so that any program
can recompute it. Anyone who knows or guesses the seed can, too: so the cards and match ids of
tournaments follow from a secret (`arena.tournaments.formats.secret`).
"""

from __future__ import annotations

import hashlib

# Base32 without the letters i, l, o and u, which are misread or make words.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 16


def derive(purpose: str, *numbers: int) -> bytes:
    """SHA-256 (32 bytes) of "lama-arena/<purpose>", a zero byte and the numbers (each < 2**64)."""
    packed = b"".join(number.to_bytes(8, "big") for number in numbers)
    return hashlib.sha256(b"lama-arena/" + purpose.encode() + b"\0" + packed).digest()


def deal_seed(seed: int, deal: int) -> bytes:
    """The 16 bytes from which all shuffles of a deal follow."""
    return derive("deal", seed, deal)[:16]


def encoded_id(digest: bytes) -> str:
    """A match id made of ten bytes or more."""
    number = int.from_bytes(digest[:10], "big")
    return "".join(ALPHABET[number >> shift & 31] for shift in range(5 * (ID_LENGTH - 1), -1, -5))
