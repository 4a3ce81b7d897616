"""Publishes featured matches for spectators.

Once a second a run asks Redis which of its tournaments are watched. It features a match of each,
and publishes it whenever a round is scored, up to that round. Of some other matches it publishes
the points after their last scored round. So spectators learn no cards, moves or thinking times of
the current round. Tournaments with shared deals are never shown, because the
same round may still be in play in another match. Games with people are not shown either.
"""

from collections.abc import Iterator, Mapping
from heapq import nsmallest
from itertools import chain

import redis
import structlog

from arena.games import packed_log
from arena.games.match import Match
from arena.protocol.internal.checkpoint_pb2 import SuspendedMatch
from arena.service.live import spectators
from arena.service.live.spectators import TableInPlay
from arena.store.tournaments.tournaments import Tournament
from workers.playing.batch import BatchRun
from workers.schedule.active import ActiveMatch

log = structlog.get_logger()

LOOK_EVERY_S = 1.0
TABLES_EVERY_S = 3.0
MOST_TABLES = 12


class Spectators:
    """The featured matches of a run, by tournament."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._next = 0.0
        self._on_show: dict[int, tuple[str, int]] = {}  # match ids and numbers of published rounds
        self._tables_due: dict[int, float] = {}

    def look(self, runs: Mapping[int, BatchRun], now: float) -> None:
        """Publishes the featured matches at most once per `LOOK_EVERY_S`. `now` is in monotonic
        seconds. An error of Redis is logged, and does not affect the run."""
        if now < self._next:
            return
        self._next = now + LOOK_EVERY_S
        try:
            shown = [number for number, run in runs.items() if may_be_watched(run.tournament)]
            for number in spectators.watched(self._client, shown):
                self._show(number, runs[number], now)
        except redis.RedisError as error:
            log.warning("cannot publish featured matches", error=str(error))

    def _show(self, tournament: int, run: BatchRun, now: float) -> None:
        before, rounds = self._on_show.get(tournament, ("", 0))
        active = _chosen(run, before)
        if active is None:
            return
        match = active.match
        if not spectators.take_stage(self._client, tournament, match.setup.id):
            return
        if now >= self._tables_due.get(tournament, 0.0):
            self._tables_due[tournament] = now + TABLES_EVERY_S
            spectators.publish_tables(self._client, tournament, _tables(run))
        over = rounds_over(match)
        same = match.setup.id == before and over == rounds
        if same and spectators.keep(self._client, tournament):
            return
        shown = as_shown(match, active.planned.position, active.started)
        spectators.publish(self._client, tournament, shown.SerializeToString())
        self._on_show[tournament] = match.setup.id, over


def may_be_watched(tournament: Tournament) -> bool:
    """Whether matches in play may be shown: without people, and with each deal played once."""
    return tournament.kind == "tournament" and not tournament.shares_deals


def _chosen(run: BatchRun, before: str) -> ActiveMatch | None:
    """The featured match if it is still in play, otherwise the oldest one with a scored round."""
    shown: ActiveMatch | None = None
    for active in _in_play(run):
        if active.match.setup.id == before:
            return active
        if _has_score(active) and (shown is None or _order(active) < _order(shown)):
            shown = active
    return shown


def _in_play(run: BatchRun) -> Iterator[ActiveMatch]:
    return chain(run.schedule.matches.open.values(), run.schedule.matches.to_send)


def _tables(run: BatchRun) -> list[TableInPlay]:
    """The scores of the oldest matches in play that have any."""
    oldest = nsmallest(MOST_TABLES, filter(_has_score, _in_play(run)), key=_order)
    return [_table(active.match) for active in oldest]


def _has_score(active: ActiveMatch) -> bool:
    return len(active.match.game.rounds) > 1


def _table(match: Match) -> TableInPlay:
    names, over = [seat.bot for seat in match.setup.seats], rounds_over(match)
    return TableInPlay(match.setup.id, names, match.game.rounds[over - 1].points, over)


def _order(active: ActiveMatch) -> tuple[float, int]:
    return active.started, active.planned.position


def rounds_over(match: Match) -> int:
    """The number of scored rounds."""
    return sum(bool(log.points) for log in match.game.rounds)


def as_shown(match: Match, position: int, started: float) -> SuspendedMatch:
    """A match up to its last scored round, without the reasons of faults, which may reveal legal
    moves."""
    last = sum(len(log.moves) for log in match.game.rounds if log.points)
    return SuspendedMatch(
        position=position,
        ruleset=match.game.ruleset,
        started=started,
        log=packed_log.pack(match, until=last),
    )
