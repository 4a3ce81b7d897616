"""Numbers and names in sentences."""

from __future__ import annotations

from collections.abc import Sequence


def plural(number: int, word: str, several: str = "") -> str:
    """ "1 match", "2,000 matches"."""
    return f"{number:,} {word if number == 1 else several or word + 's'}"


def together(words: Sequence[str], word: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    return f" {word} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
