"""Values derived from a public seed: the order of a schedule, and deals that need no secrecy.

Each value is SHA-256 of a prefix that names the purpose and of 64-bit big-endian numbers, so any
program can recompute it. Anyone who guesses the seed can, too. For this reason the cards and
match ids of tournaments are derived from a secret (`arena.tournaments.formats.secret`).
"""

import hashlib

# Base32 without i, l, o and u, which are easily misread or form words.
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 16


def derive(purpose: str, *numbers: int) -> bytes:
    """Returns SHA-256 (32 bytes) of "lama-arena/<purpose>", a zero byte and numbers < 2**64."""
    packed = b"".join(number.to_bytes(8, "big") for number in numbers)
    return hashlib.sha256(b"lama-arena/" + purpose.encode() + b"\0" + packed).digest()


def deal_seed(seed: int, deal: int) -> bytes:
    """Returns the 16 bytes from which all shuffles of a deal are derived."""
    return derive("deal", seed, deal)[:16]


def encoded_id(digest: bytes) -> str:
    """Returns the match id for a digest of at least ten bytes."""
    number = int.from_bytes(digest[:10], "big")
    return "".join(ALPHABET[number >> shift & 31] for shift in range(5 * (ID_LENGTH - 1), -1, -5))
