"""Numbers, names, durations and exit codes in sentences, text from untrusted programs, and cells of
CSV files."""

import signal
from collections.abc import Sequence
from typing import TypeAlias

Cell: TypeAlias = str | int | float | bool | None

# Spreadsheets run a text that starts with one of these as a formula, so a chosen name could attack
# users who open a file. Numbers may start with a minus. The last four are full-width forms.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


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


def duration(seconds: float) -> str:
    """A duration in its two largest units: "2 min 5 s". Babel prints only the largest one."""
    left = max(0, round(seconds))
    if left < 60:
        return f"{left} s"
    if left < 3600:
        return f"{left // 60} min {left % 60} s"
    if left < 86400:
        return f"{left // 3600} h {left % 3600 // 60} min"
    return f"{left // 86400} d {left % 86400 // 3600} h"


def latency(microseconds: float) -> str:
    """A response time: "40 ms"."""
    if microseconds < 1000:
        return f"{microseconds:.0f} µs"
    if microseconds < 1_000_000:
        return f"{microseconds / 1000:.1f}".removesuffix(".0") + " ms"
    return f"{microseconds / 1e6:.1f}".removesuffix(".0") + " s"


def cell(value: Cell) -> Cell:
    """The cell for a value. A text that would be a formula gets an apostrophe; a bool is 0 or 1."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value
