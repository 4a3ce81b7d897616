"""How good a forecast was: the time forecast at the start next to the time it took."""

from __future__ import annotations

from dataclasses import dataclass

from arena.base.durations import duration
from arena.service.forecast.waits import Spent
from arena.store.tournaments.tournaments import Tournament

CLOSE = 0.05  # a smaller error is not worth a number
TIMES, MOST_TIMES = 2.0, 100.0  # an error from here on is given as a ratio, and up to here


@dataclass(frozen=True, slots=True)
class ForecastCheck:
    """The forecast at the start of a tournament, and the seconds that it was played; while it is
    not `over`, the seconds that it is now expected to be. The `sentence` has both."""

    forecast_seconds: float
    seconds: float
    over: bool
    sentence: str


def check(
    first: float | None, tournament: Tournament, spent: Spent, left: float | None
) -> ForecastCheck | None:
    """The `first` forecast of a tournament against the time `spent` and, while it runs, what is
    `left`. None where there is no forecast, or the end cannot be known."""
    if first is None:
        return None
    if tournament.state == "finished":
        return _checked(first, spent.playing, over=True)
    if tournament.state != "running" or left is None:
        return None
    return _checked(first, spent.playing + left, over=False)


def _checked(first: float, seconds: float, *, over: bool) -> ForecastCheck:
    became = "It took" if over else "Now expected in all:"
    sentence = (
        f"Forecast at the start: {duration(first)}. {became} {duration(seconds)}"
        f"{_error(first, seconds)}."
    )
    return ForecastCheck(round(first, 1), round(seconds, 1), over, sentence)


def _error(first: float, seconds: float) -> str:
    """By how much it was wrong: ", 17% longer"."""
    ratio = seconds / max(first, 1e-9)
    if duration(first) == duration(seconds) or abs(ratio - 1) < CLOSE:
        return ""
    if ratio >= TIMES:
        return ", far longer" if ratio >= MOST_TIMES else f", {ratio:.1f} times as long"
    return f", {ratio - 1:.0%} longer" if ratio > 1 else f", {1 - ratio:.0%} shorter"
