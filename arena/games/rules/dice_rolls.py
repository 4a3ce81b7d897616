"""The three dice of LAMA Dice: their faces, an option, and seeded rolls."""

import hashlib
import struct
from collections import Counter
from functools import lru_cache

from arena.games.rules.dice_rows import LLAMA
from arena.games.rules.lama import CARDS
from arena.games.rules.options import Option


def normal_faces(text: str) -> str:
    """Validates and sorts three dice of six faces: `1 2 3 4 llama llama / ...` (DICE-3)."""
    dice = [die.split() for die in text.split("/")]
    numbers = Counter(face for die in dice for face in die if face != "llama")
    sound = (
        len(dice) == 3
        and all(len(die) == 6 and die.count("llama") == 2 for die in dice)
        and all(len(set(die)) == 5 for die in dice)
        and numbers == dict.fromkeys(CARDS[:LLAMA], 2)
    )
    if not sound:
        raise ValueError(
            "takes three dice divided by /, each with two llamas and four different numbers, "
            "every number from 1 to 6 on two of them"
        )
    return " / ".join(" ".join(sorted(die, key=CARDS.index)) for die in dice)


@lru_cache(maxsize=64)
def faces_of(text: str) -> tuple[tuple[int, ...], ...]:
    """Returns the values on the faces of each die."""
    return tuple(tuple(CARDS.index(face) for face in die.split()) for die in text.split(" / "))


def rolled(
    seed: bytes, round_number: int, roll: int, faces: tuple[tuple[int, ...], ...]
) -> tuple[int, ...]:
    """Returns the values of roll number `roll` (from 1) of a round, one for each die.

    Each die takes a 4-byte big-endian word w from SHAKE-256(seed ‖ "dice" ‖ round ‖ roll), both
    numbers as 4 bytes, big-endian. It shows face number ⌊6·w / 2³²⌋, counted from 0.
    """
    material = seed + b"dice" + round_number.to_bytes(4, "big") + roll.to_bytes(4, "big")
    words = struct.unpack(">3I", hashlib.shake_256(material).digest(12))
    return tuple([die[word * 6 >> 32] for die, word in zip(faces, words, strict=True)])


FACES = Option(  # DICE-4
    default="1 2 3 4 llama llama / 1 2 5 6 llama llama / 3 4 5 6 llama llama",
    about="The faces of the three dice",
    normalize=normal_faces,
    title="Faces of the dice",
    rare="1 3 5 6 llama llama / 1 2 4 6 llama llama / 2 3 4 5 llama llama",
    values_stay=True,
)
