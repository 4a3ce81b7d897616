"""Options of a game: text in, text out, so that they mean the same on every way they travel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.rules.errors import BadOption


@dataclass(frozen=True)
class Option:
    """One option: `normal` gives a value's normal text, or a ValueError saying what it takes."""

    default: str  # in normal form
    about: str
    normal: Callable[[str], str]


def is_count(text: str) -> bool:
    """Whether a text is a number of ordinary digits, and not of thousands of them."""
    return text.isascii() and text.isdigit() and len(text) < 10


def whole_number(least: int, most: int) -> Callable[[str], str]:
    """Takes a whole number from `least` to `most`."""

    def normal(text: str) -> str:
        if not (is_count(text) and least <= int(text) <= most):
            raise ValueError(f"takes a whole number from {least} to {most}")
        return str(int(text))

    return normal


def completed(known: Mapping[str, Option], given: Mapping[str, str], game: str) -> dict[str, str]:
    """All options of a game with their values, those not given at their defaults.

    Raises BadOption for an unknown name or a value the option cannot have.
    """
    for name in given:
        if name not in known:
            raise BadOption(f"{game} has no option {name!r}; it has: {', '.join(known)}.")
    values = {}
    for name, option in known.items():
        text = str(given.get(name, option.default))
        try:
            values[name] = text if text == option.default else option.normal(text)
        except ValueError as error:
            raise BadOption(f"Option {name} of {game} {error}, not {text[:80]!r}.") from None
    return values
