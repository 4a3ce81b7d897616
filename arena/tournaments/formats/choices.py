"""Validators for the options of formats, in addition to those for games: text in, text out."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True)
class OneOf:
    """Accepts one of `words`. Forms can list them."""

    words: tuple[str, ...]

    def __call__(self, text: str) -> str:
        """Returns the word. Raises ValueError for any other."""
        if text not in self.words:
            raise ValueError(f"takes {', '.join(self.words[:-1])} or {self.words[-1]}")
        return text


def number(least: float, most: float) -> Callable[[str], str]:
    """Returns a validator that accepts a number from `least` to `most`, such as "2.5"."""

    def normalize(text: str) -> str:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not (isfinite(value) and least <= value <= most):
            raise ValueError(f"takes a number from {least:g} to {most:g}")
        return f"{value:.10g}"

    return normalize
