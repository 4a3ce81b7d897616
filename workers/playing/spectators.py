"""What spectators see of matches in play.

Once a second a run asks Redis which of its tournaments somebody watches; where nobody does, that is
all. Of a watched one it keeps a match on show and publishes it each time a round is scored, up to
there. So nobody can learn from a spectator what is under way at a table: neither cards, nor which
move was made, nor how long somebody thinks. Tournaments whose deals are played more than once are
never on show: a round that is over here may still be to come elsewhere. Nor are tables of people.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import redis
import structlog

from arena.games import record
from arena.games.match import Match
from arena.protocol.internal.checkpoint_pb2 import SuspendedMatch
from arena.service.live import spectators
from arena.store.tournaments.tournaments import Tournament
from workers.playing.batch import BatchRun
from workers.schedule.active_match import ActiveMatch

log = structlog.get_logger()

LOOK_EVERY_S = 1.0


class Spectators:
    """The matches of one run that are on show, by tournament."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self._next = 0.0
        self._on_show: dict[int, tuple[str, int]] = {}  # match id and rounds that were published

    def look(self, runs: Mapping[int, BatchRun], now: float) -> None:
        """Publishes what there is to be seen; `now` in monotonic seconds. A Redis that is away
        costs the spectators a moment, and the run nothing."""
        if now < self._next:
            return
        self._next = now + LOOK_EVERY_S
        try:
            shown = [number for number, run in runs.items() if may_be_watched(run.tournament)]
            for number in spectators.watched(self._client, shown):
                self._show(number, runs[number])
        except redis.RedisError as error:
            log.warning("spectators see nothing new", error=str(error))

    def _show(self, tournament: int, run: BatchRun) -> None:
        before, rounds = self._on_show.get(tournament, ("", 0))
        active = _chosen(run, before)
        if active is None:
            return
        match = active.match
        if not spectators.take_stage(self._client, tournament, match.setup.id):
            return
        over = rounds_over(match)
        same = match.setup.id == before and over == rounds
        if same and spectators.keep(self._client, tournament):
            return
        shown = as_shown(match, active.planned.position, active.started)
        spectators.publish(self._client, tournament, shown.SerializeToString())
        self._on_show[tournament] = match.setup.id, over


def may_be_watched(tournament: Tournament) -> bool:
    """Whether matches in play may be shown: no person sits there, and every deal is played once."""
    return tournament.kind == "tournament" and not tournament.shares_deals


def _chosen(run: BatchRun, before: str) -> ActiveMatch | None:
    """The match on show goes on; else the one that began first of those with a round to show."""
    in_play = run.schedule.matches
    shown: ActiveMatch | None = None
    for active in chain(in_play.open.values(), in_play.to_send):
        if active.match.setup.id == before:
            return active
        if len(active.match.game.rounds) > 1 and (shown is None or _order(active) < _order(shown)):
            shown = active
    return shown


def _order(active: ActiveMatch) -> tuple[float, int]:
    return active.started, active.planned.position


def rounds_over(match: Match) -> int:
    """How many rounds are scored."""
    return sum(bool(log.points) for log in match.game.rounds)


def as_shown(match: Match, position: int, started: float) -> SuspendedMatch:
    """A match up to the end of the last round that is scored. Reasons of faults stay out: they may
    name what somebody was offered."""
    last = sum(len(log.moves) for log in match.game.rounds if log.points)
    return SuspendedMatch(
        position=position,
        ruleset=match.game.ruleset,
        started=started,
        log=record.pack(match, until=last),
    )
