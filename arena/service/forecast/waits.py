"""Divides a tournament's time into waiting for bots, waiting for a worker, and play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from arena.base.text import plural, together
from arena.service.live.line import TournamentQueue
from arena.store.tournaments import lists
from arena.store.tournaments.tournaments import Tournament

NAMED = 2  # tournaments, at most; the others are counted
PLACES = ("next", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


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
    return max(tournament.created, tournament.starts_at or 0.0)


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
