"""How the workers are shared among tournaments that run at the same time."""

from __future__ import annotations

from typing import Literal

from arena.base.errors import InvalidRequest

Priority = Literal["low", "normal", "high"]

# What each gets, compared with the others that run.
WEIGHTS: dict[Priority, float] = {"low": 0.25, "normal": 1.0, "high": 4.0}


def check_priority(text: str) -> Priority:
    """A priority by its name. Raises InvalidRequest."""
    for priority in WEIGHTS:
        if text == priority:
            return priority
    raise InvalidRequest(f"There is no priority {text!r}; choose {', '.join(WEIGHTS)}.")
