"""How workers are shared among tournaments that run at the same time."""

from typing import Literal

from arena.base.errors import InvalidRequest

Priority = Literal["low", "normal", "high"]

# Relative weights.
WEIGHTS: dict[Priority, float] = {"low": 0.25, "normal": 1.0, "high": 4.0}


def check_priority(text: str) -> Priority:
    """Returns the priority `text`. Raises InvalidRequest if it is unknown."""
    for priority in WEIGHTS:
        if text == priority:
            return priority
    raise InvalidRequest(f"Unknown priority {text!r}. Choose {', '.join(WEIGHTS)}.")
