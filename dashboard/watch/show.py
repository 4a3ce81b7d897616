"""The choice of the featured match of a tournament.

If a match in play can be watched, it is featured, one round behind. Otherwise one of the latest
stored matches is replayed at a fixed pace, at the same move for all spectators, then the next one.
Redis stores the match and its start time; without Redis, each dashboard chooses by itself.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import partial

import redis
from flask import current_app

from arena.base import instant
from arena.base.errors import NotFound
from arena.games.match import Match
from arena.games.packed_log import replay
from arena.service.live import spectators
from arena.service.live.spectators import Screening, TableInPlay
from arena.store.matches import matches
from arena.store.tournaments.tournaments import Tournament
from dashboard.matches.replay.course import Course, ReplayPosition
from dashboard.matches.replay.states import State, states
from dashboard.matches.replay.view import ReplayQuery
from dashboard.matches.shown import shown
from dashboard.sources import sources
from dashboard.watch.running import RunningMatch, running

PACE_S, SCORED_S, END_S = 1.4, 4.0, 10.0  # per move, after a round, after the match
TIMES = {"pace": PACE_S, "scored": SCORED_S, "end": END_S}  # for the script
AMONG = 12  # latest matches to choose from
MOST_ALONE = 256


@dataclass(frozen=True)
class Show:
    """The featured match. `course` has its visible rounds."""

    match: str
    game: str
    names: tuple[str, ...]  # by seat
    course: Course
    live: RunningMatch | None = None  # None for a stored match
    began: float = 0.0  # of a stored one, Unix seconds
    points: tuple[tuple[int, ...], ...] = ()  # by round and seat

    @property
    def elapsed(self) -> float:
        """Seconds since it started."""
        return max(0.0, instant.now() - self.began)

    @property
    def lasts(self) -> float:
        """Duration of the whole replay in seconds, including the pause at the end."""
        return sum(self._length(number) for number in range(1, len(self.course.lengths) + 1))

    def _length(self, number: int) -> float:
        last = number == len(self.course.lengths)
        pause = END_S if last and self.live is None else SCORED_S
        return PACE_S * self.course.lengths[number - 1] + pause

    def place(self) -> ReplayPosition:
        """Return the current position; a match in play starts with its newest round."""
        if self.live is not None:
            return ReplayPosition(len(self.course.lengths), 0)
        left = self.elapsed
        for number, moves in enumerate(self.course.lengths, 1):
            if left < self._length(number):
                return ReplayPosition(number, min(int(left / PACE_S), moves))
            left -= self._length(number)
        return self.course.at_end_of(len(self.course.lengths))

    def state(self) -> State:
        """Return the state of the current position."""
        place = self.place()
        return self.states(place.round)[place.done]

    @property
    def score(self) -> tuple[tuple[int, ...], ...]:
        """The points by seat after each round before the current one."""
        return self.points[: self.place().round - 1]

    def states(self, number: int) -> list[State]:
        """Return the states of a round, as spectators see it. Raises InvalidRequest."""
        if self.live is not None:
            return self.live.states(number)
        query = ReplayQuery.of(shown().match(self.match), None)
        query.course.at_end_of(number)
        return states(query.match, query.sheets, number, None)


def on_show(tournament: Tournament) -> Show | None:
    """Return the featured match, or None. Raises Unavailable.

    It reads Redis, so call it without holding a database connection.
    """
    if tournament.kind != "tournament":
        return None
    return _in_play(tournament) or _stored(tournament)


def _in_play(tournament: Tournament) -> Show | None:
    if tournament.state != "running":
        return None
    found = sources().reader.answer(partial(_published, tournament=tournament.id))
    if found is None:
        return None
    with sources().read() as conn:
        seen = running(conn, tournament, found)
    if seen is None:
        return None
    setup = seen.match.setup
    names = tuple([seat.bot for seat in setup.seats])
    return Show(setup.id, setup.game, names, seen.course, seen, points=_points(seen.match))


def tables_in_play(tournament: Tournament) -> list[TableInPlay]:
    """Return scores of matches in play. Raises Unavailable."""
    if tournament.state != "running":
        return []
    return sources().reader.answer(partial(spectators.tables, tournament=tournament.id)) or []


def _points(match: Match) -> tuple[tuple[int, ...], ...]:
    return tuple([tuple(log.points) for log in match.game.rounds])


def _published(client: redis.Redis, tournament: int) -> bytes | None:
    spectators.watch(client, [tournament])
    return spectators.published(client, tournament)


def _stored(tournament: Tournament) -> Show | None:
    """Return the current stored match, or the next one when it is over."""
    number = tournament.id
    current = sources().reader.answer(partial(spectators.screened, tournament=number))
    current = current or _own(number)
    if current and (show := _show_of(current)) and show.elapsed < show.lasts:
        return show
    with sources().read() as conn:
        rows, _ = matches.list_matches(conn, tournament=number, limit=AMONG)
    found = [row.id for row in rows if not row.locked]
    others = [each for each in found if not current or each != current.match] or found
    if not others:
        return None
    wish = Screening(random.SystemRandom().choice(others), instant.now())
    show = _show_of(wish)
    if show is None:
        return None
    agreed = sources().reader.answer(
        partial(spectators.screen, tournament=number, wish=wish, lasts_s=show.lasts)
    )
    if agreed is None:
        _remember(number, wish, instant.now() + show.lasts)
    return show if agreed in (None, wish) else _show_of(agreed)


def _alone() -> dict[int, tuple[Screening, float]]:
    """Return the matches chosen by this dashboard without Redis, by tournament, with their end."""
    found: dict[int, tuple[Screening, float]] = current_app.extensions.setdefault("watch", {})
    return found


def _remember(number: int, wish: Screening, until: float) -> None:
    if len(_alone()) >= MOST_ALONE:
        _alone().clear()  # bounds the memory; some spectators get another match
    _alone()[number] = wish, until


def _own(number: int) -> Screening | None:
    screening, until = _alone().get(number, (None, 0.0))
    return screening if instant.now() < until else None


def _show_of(screening: Screening) -> Show | None:
    """Return the featured match; None if it is no longer stored."""
    try:
        with sources().read() as conn:
            stored = matches.get_match(conn, screening.match)
    except NotFound:
        return None
    match = replay(stored.setup, stored.log)
    course = Course([len(log.moves) for log in match.game.rounds])
    names = tuple([seat.bot for seat in stored.setup.seats])
    points = _points(match)
    return Show(stored.id, stored.game, names, course, None, screening.began, points)
