"""A format's own options: text in, text out, like those of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite

from arena.errors import InvalidRequest
from arena.rules.options import Option


@dataclass(frozen=True)
class OneOf:
    """Takes one of these words; whoever makes a form of it can see which."""

    words: tuple[str, ...]

    def __call__(self, text: str) -> str:
        """The word. Raises ValueError for another one."""
        if text not in self.words:
            raise ValueError(f"takes {', '.join(self.words[:-1])} or {self.words[-1]}")
        return text


def one_of(*words: str) -> OneOf:
    """Takes one of these words."""
    return OneOf(words)


def number(least: float, most: float) -> Callable[[str], str]:
    """Takes a number from `least` to `most`, as in "2.5"."""

    def normal(text: str) -> str:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not (isfinite(value) and least <= value <= most):
            raise ValueError(f"takes a number from {least:g} to {most:g}")
        return f"{value:.10g}"

    return normal


def completed(
    known: Mapping[str, Option], given: Mapping[str, str], format_name: str
) -> dict[str, str]:
    """All options of a format with their values, those not given at their defaults.

    Raises InvalidRequest for an unknown name or a value the option cannot have.
    """
    for name in given:
        if name not in known:
            there = f"it has: {', '.join(known)}" if known else "it has none"
            raise InvalidRequest(f'The format {format_name} has no option "{name[:40]}"; {there}.')
    values = {}
    for name, option in known.items():
        text = str(given.get(name, option.default))
        try:
            values[name] = option.normal(text)
        except ValueError as error:
            raise InvalidRequest(
                f'Option {name} of the format {format_name} {error}, not "{text[:80]}".'
            ) from None
    return values
