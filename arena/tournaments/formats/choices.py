"""What the options of a format take, beside what those of games do: text in, text out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True)
class OneOf:
    """Takes one of these words; a form can offer them."""

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

    def normalize(text: str) -> str:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not (isfinite(value) and least <= value <= most):
            raise ValueError(f"takes a number from {least:g} to {most:g}")
        return f"{value:.10g}"

    return normalize
