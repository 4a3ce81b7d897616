"""Compares the forecast at the start of a tournament with its duration."""

from __future__ import annotations

from dataclasses import dataclass

from arena.base.durations import duration
from arena.service.forecast.waits import Spent
from arena.store.tournaments.tournaments import Tournament

CLOSE = 0.05  # smaller errors are not shown
TIMES, MOST_TIMES = 2.0, 100.0  # between these, an error is shown as a ratio


@dataclass(frozen=True, slots=True)
class ForecastCheck:
    """The forecast at the start of a tournament, and its duration."""

    forecast_seconds: float
    seconds: float  # of play; if not over, the expected total
    over: bool
    sentence: str


def check(
    first: float | None, tournament: Tournament, spent: Spent, left: float | None
) -> ForecastCheck | None:
    """Compares the `first` forecast (seconds) with the time `spent` and, while the tournament runs,
    the seconds `left`. Returns None without a forecast, or if the end is not known."""
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
    """The error of the forecast: ", 17% longer"."""
    ratio = seconds / max(first, 1e-9)
    if duration(first) == duration(seconds) or abs(ratio - 1) < CLOSE:
        return ""
    if ratio >= TIMES:
        return ", far longer" if ratio >= MOST_TIMES else f", {ratio:.1f} times as long"
    return f", {ratio - 1:.0%} longer" if ratio > 1 else f", {1 - ratio:.0%} shorter"
