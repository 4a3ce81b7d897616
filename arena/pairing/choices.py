"""A format's own options: text in, text out, like those of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite

from arena.errors import InvalidRequest
from arena.rules.options import Option


def one_of(*values: str) -> Callable[[str], str]:
    """Takes one of these words."""

    def normal(text: str) -> str:
        if text not in values:
            raise ValueError(f"takes {', '.join(values[:-1])} or {values[-1]}")
        return text

    return normal


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
