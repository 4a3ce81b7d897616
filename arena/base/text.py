"""Numbers, names and exit codes in sentences, and text from untrusted programs."""

from __future__ import annotations

import signal
from collections.abc import Sequence


def plural(number: int, word: str, several: str = "") -> str:
    """ "1 match", "2,000 matches"."""
    return f"{number:,} {word if number == 1 else several or word + 's'}"


def together(words: Sequence[str], word: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    return f" {word} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def printable(text: str, kept: str = "") -> str:
    """The text without control and invisible characters and those that change the writing
    direction, except those that are `kept`."""
    if text.translate(dict.fromkeys(map(ord, kept))).isprintable():
        return text  # nearly always
    return "".join(c if c.isprintable() or c in kept else "\N{REPLACEMENT CHARACTER}" for c in text)


def plain(text: str) -> str:
    """Printable text with line breaks and tabs, safe to store: PostgreSQL stores no NUL."""
    return printable(text, "\n\t")


def how_ended(code: int) -> str:
    """How a process ended: "ended with status 1" or, if negative, "was ended by SIGKILL"."""
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
