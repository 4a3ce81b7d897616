"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# "unknown": it could not be looked at, which is not wrong by itself.
State = Literal["fine", "wrong", "unknown"]


@dataclass(frozen=True)
class Finding:
    """A sentence on one thing, and where it is wrong another one on what to do."""

    state: State
    about: str  # a word or two: "Redis"
    sentence: str
    advice: str = ""


def fine(about: str, sentence: str) -> Finding:
    """It is as it should be."""
    return Finding("fine", about, sentence)


def wrong(about: str, sentence: str, advice: str) -> Finding:
    """It has to be mended."""
    return Finding("wrong", about, sentence, advice)


def unknown(about: str, sentence: str) -> Finding:
    """It could not be looked at, or there is nothing to look at yet."""
    return Finding("unknown", about, sentence)
