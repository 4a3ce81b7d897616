"""What is on show at a tournament's table.

While a match is in play that may be watched, it is that match, a round behind. Otherwise one of the
latest matches that are stored and open to everybody is played at a pace at which one can follow,
at the same move for all who watch; then the next one. Redis has which one and since when. Without
Redis each dashboard has a clock of its own.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import partial

import redis
from flask import current_app

from arena.base import instant
from arena.base.errors import NotFound
from arena.games.record import replay
from arena.service.live import spectators
from arena.service.live.spectators import Screening
from arena.store.matches import matches
from arena.store.tournaments.tournaments import Tournament
from dashboard.matches.replay.course import Course, ReplayPosition
from dashboard.matches.replay.states import State, states
from dashboard.matches.replay.view import ReplayQuery
from dashboard.matches.shown import shown
from dashboard.sources import sources
from dashboard.watch.running import Running, running

PACE_S, SCORED_S, END_S = 1.4, 4.0, 10.0  # for a move, the end of a round, the end of the match
AMONG = 12  # of the latest matches
MOST_ALONE = 256


@dataclass(frozen=True)
class Show:
    """A match on show. `course` has the rounds that can be seen."""

    match: str
    game: str
    names: tuple[str, ...]  # by seat
    course: Course
    live: Running | None = None  # None for a stored match
    began: float = 0.0  # of a stored one, Unix seconds

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return max(0.0, instant.now() - self.began)

    @property
    def lasts(self) -> float:
        """Seconds from the first move to the end of the last moment."""
        return sum(self._length(number) for number in range(1, len(self.course.lengths) + 1))

    def _length(self, number: int) -> float:
        last = number == len(self.course.lengths)
        pause = END_S if last and self.live is None else SCORED_S
        return PACE_S * self.course.lengths[number - 1] + pause

    def place(self) -> ReplayPosition:
        """Where the table is now; a match in play begins with its newest round."""
        if self.live is not None:
            return ReplayPosition(len(self.course.lengths), 0)
        left = self.elapsed
        for number, moves in enumerate(self.course.lengths, 1):
            if left < self._length(number):
                return ReplayPosition(number, min(int(left / PACE_S), moves))
            left -= self._length(number)
        return self.course.at_end_of(len(self.course.lengths))

    def states(self, number: int) -> list[State]:
        """The states of a round, as spectators see it. Raises InvalidRequest."""
        if self.live is not None:
            return self.live.states(number)
        query = ReplayQuery.of(shown().match(self.match), None)
        query.course.at_end_of(number)
        return states(query.match, query.sheets, number, None)


def on_show(tournament: Tournament) -> Show | None:
    """What there is to be seen now; None as long as there is nothing. It asks Redis, so it holds
    a connection to the database only while it reads. Raises Unavailable."""
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
    return Show(setup.id, setup.game, names, seen.course, seen)


def _published(client: redis.Redis, tournament: int) -> bytes | None:
    spectators.watch(client, [tournament])
    return spectators.published(client, tournament)


def _stored(tournament: Tournament) -> Show | None:
    """The stored match on show, or the next one when that is over."""
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
    """What this dashboard shows by itself, without Redis: by tournament, with its end."""
    found: dict[int, tuple[Screening, float]] = current_app.extensions.setdefault("watch", {})
    return found


def _remember(number: int, wish: Screening, until: float) -> None:
    if len(_alone()) >= MOST_ALONE:
        _alone().clear()  # rather another match for somebody than more and more of them
    _alone()[number] = wish, until


def _own(number: int) -> Screening | None:
    screening, until = _alone().get(number, (None, 0.0))
    return screening if instant.now() < until else None


def _show_of(screening: Screening) -> Show | None:
    """The show; None if the match is not stored any more."""
    try:
        with sources().read() as conn:
            stored = matches.get_match(conn, screening.match)
    except NotFound:
        return None
    match = replay(stored.setup, stored.log)
    course = Course([len(log.moves) for log in match.game.rounds])
    names = tuple([seat.bot for seat in stored.setup.seats])
    return Show(stored.id, stored.game, names, course, None, screening.began)
