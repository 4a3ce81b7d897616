"""A tournament's time: waiting for bots, waiting for a worker, and play; and whether play took as
long as forecast at the start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from arena.base.text import duration, plural, together
from arena.service.live.ready import TournamentQueue
from arena.store.tournaments import lists
from arena.store.tournaments.tournaments import Tournament

NAMED = 2  # tournaments, at most; the others are counted
PLACES = ("next", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
CLOSE = 0.05  # smaller errors are not shown
TIMES, MOST_TIMES = 2.0, 100.0  # between these, an error is shown as a ratio


@dataclass(frozen=True)
class Queued:
    """A tournament that waits for a worker."""

    place: int  # in line, from 1
    behind: tuple[str, ...]  # the names of the tournaments before it
    playing: tuple[str, ...]  # the names of the tournaments in play
    since: float  # Unix seconds
    workers: int


@dataclass(frozen=True)
class Spent:
    """The parts of a tournament's time in seconds."""

    waiting: float  # for its bots, before it started
    queued: float  # for a worker
    stopped: float
    playing: float


@dataclass(frozen=True, slots=True)
class ForecastCheck:
    """The forecast at the start of a tournament, and its duration."""

    forecast_seconds: float
    seconds: float  # of play; if not over, the expected total
    over: bool
    sentence: str


def place(
    conn: Connection, line: TournamentQueue, workers: int, wanted: Sequence[int]
) -> Mapping[int, Queued]:
    """The queued ones among the wanted tournaments, by number."""
    order = list(line.queued)
    found = {number: order.index(number) for number in wanted if number in line.queued}
    if not found:
        return {}
    named = lists.names(conn, {*order[: max(found.values())], *line.playing})
    playing = tuple(named[each] for each in sorted(line.playing) if each in named)
    return {
        number: Queued(
            before + 1,
            tuple(named[each] for each in order[:before] if each in named),
            playing,
            line.queued[number],
            workers,
        )
        for number, before in found.items()
    }


def spent(tournament: Tournament, now: float, queued: Queued | None = None) -> Spent:
    """Divides the time of a tournament up to `now` (Unix seconds) or its end."""
    end = now if tournament.finished is None else tournament.finished
    if tournament.started is None:
        return Spent(max(0.0, end - _awaited(tournament)), 0.0, 0.0, 0.0)
    in_line = tournament.queued_s + (max(0.0, end - queued.since) if queued else 0.0)
    stopped = tournament.stopped_s
    if tournament.state == "waiting":
        stopped += max(0.0, end - tournament.waiting_since)
    before = max(0.0, tournament.started - _awaited(tournament))
    return Spent(before, in_line, stopped, max(0.0, end - tournament.started - in_line - stopped))


def _awaited(tournament: Tournament) -> float:
    """Since when it has waited for its bots (Unix seconds): not before its start time."""
    since, started = tournament.waiting_since, tournament.started
    resumed_later = started is not None and since > started
    began = tournament.created if resumed_later else since
    return max(began, tournament.starts_at or 0.0)


def in_line(queued: Queued) -> str:
    """A sentence on its place: "Third in line, behind Autumn Open and Winter Cup; workers are
    playing Spring Cup." """
    at = PLACES[queued.place - 1] if queued.place <= len(PLACES) else f"number {queued.place}"
    sentence = f"{at.capitalize()} in line"
    if queued.behind:
        sentence += f", behind {_named(queued.behind)}"
    if not queued.workers:
        return f"{sentence}; no worker is running."
    if queued.playing:
        sentence += f"; workers are playing {_named(queued.playing)}"
    return f"{sentence}."


def _named(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return together([*names[:NAMED], *([plural(more, "other")] if more > 0 else [])])


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
