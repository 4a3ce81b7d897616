"""The featured match of a tournament, and matches in play for spectators.

If a match in play can be watched, it is featured, one round behind. Otherwise one of the latest
stored matches is replayed at a fixed pace, at the same move for all spectators, then the next one.
Redis stores the match and its start time; without Redis, each dashboard chooses by itself.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import partial

import redis
from flask import current_app
from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import ArenaError, NotFound
from arena.games.match import Match, MatchSetup, Seat
from arena.games.packed_log import decisions_in, pack, replay
from arena.protocol.internal.checkpoint_pb2 import SuspendedMatch
from arena.service.live import spectators
from arena.service.live.spectators import Screening, TableInPlay
from arena.store.matches import matches
from arena.store.registry import bots
from arena.store.tournaments import batches, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import FromSecret, PlannedMatch
from dashboard.matches.detail.sheet import sheet
from dashboard.matches.replay.course import Course, ReplayPosition
from dashboard.matches.replay.states import NOBODY, State, states
from dashboard.matches.replay.view import ReplayQuery
from dashboard.matches.shown import shown
from dashboard.sources import sources

PACE_S, SCORED_S, END_S = 1.4, 4.0, 10.0  # per move, after a round, after the match
TIMES = {"pace": PACE_S, "scored": SCORED_S, "end": END_S}  # for the script
AMONG = 12  # latest matches to choose from
MOST_ALONE = 256
ROUNDS = "max_rounds"


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

    @classmethod
    def of(cls, match: Match, live: RunningMatch | None = None, began: float = 0.0) -> Show:
        rounds, setup = match.game.rounds, match.setup
        names = tuple([seat.bot for seat in setup.seats])
        points = tuple([tuple(log.points) for log in rounds])
        return cls(setup.id, setup.game, names, Course.of(match), live, began, points)

    @property
    def elapsed(self) -> float:
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
        place = self.place()
        return self.states(place.round)[place.done]

    @property
    def score(self) -> tuple[tuple[int, ...], ...]:
        return self.points[: self.place().round - 1]

    def states(self, number: int) -> list[State]:
        """Return the states of a round, as spectators see it. Raises InvalidRequest."""
        if self.live is not None:
            return self.live.states(number)
        query = ReplayQuery.of(shown().match(self.match), None)
        query.course.at_end_of(number)
        return states(query.match, query.sheets, number, None)


def on_show(tournament: Tournament) -> Show | None:
    """Return the featured match, or None. Raises Unavailable. It reads Redis, so call it without
    holding a database connection."""
    if tournament.kind != "tournament":
        return None
    return _in_play(tournament) or _stored(tournament)


def _in_play(tournament: Tournament) -> Show | None:
    if tournament.state != "running":
        return None

    def published(client: redis.Redis) -> bytes | None:
        spectators.watch(client, [tournament.id])
        return spectators.published(client, tournament.id)

    found = sources().reader.answer(published)
    if found is None:
        return None
    with sources().read() as conn:
        seen = running(conn, tournament, found)
    if seen is None:
        return None
    return Show.of(seen.match, seen)


def tables_in_play(tournament: Tournament) -> list[TableInPlay]:
    """Return scores of matches in play. Raises Unavailable."""
    if tournament.state != "running":
        return []
    return sources().reader.answer(partial(spectators.tables, tournament=tournament.id)) or []


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
        if len(_alone()) >= MOST_ALONE:
            _alone().clear()  # bounds the memory; some spectators get another match
        _alone()[number] = wish, instant.now() + show.lasts
    return show if agreed in (None, wish) else _show_of(agreed)


def _alone() -> dict[int, tuple[Screening, float]]:
    """Return the matches chosen by this dashboard without Redis, by tournament, with their end."""
    found: dict[int, tuple[Screening, float]] = current_app.extensions.setdefault("watch", {})
    return found


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
    return Show.of(replay(stored.setup, stored.log), began=screening.began)


@dataclass(frozen=True)
class RunningMatch:
    """A match in play, up to the end of its last scored round.

    Workers publish only the decisions of scored rounds. Replayed with the last of them as the final
    round, they are like a finished match, but without a winner.
    """

    match: Match

    @property
    def course(self) -> Course:
        return Course.of(self.match)

    def states(self, number: int) -> list[State]:
        """Return the states of a round. Raises InvalidRequest if it is not scored."""
        self.course.at_end_of(number)
        seen = states(self.match, sheet(self.match), number, NOBODY)
        return [*seen[:-1], replace(seen[-1], winners=())]


def running(conn: Connection, tournament: Tournament, published: bytes) -> RunningMatch | None:
    """Return a match from its published data; None without a scored round, or on a mismatch."""
    kept = SuspendedMatch.FromString(published)
    if not decisions_in(kept.log):
        return None
    try:
        return _played(_setup(conn, tournament, kept), kept.log)
    except (ArenaError, ValueError):
        return None  # from another release or another match; a later one will work


def up_to_now(match: Match) -> RunningMatch | None:
    """Return the scored rounds of a match in play; None if there are none."""
    last = sum(len(log.moves) for log in match.game.rounds if log.points)
    return _played(match.setup, pack(match, until=last)) if last else None


def _setup(conn: Connection, tournament: Tournament, kept: SuspendedMatch) -> MatchSetup:
    source: FromSecret = tournaments.source(conn, tournament.id)
    spec = tournament.spec
    planned = _planned(conn, tournament, kept.position)
    known = bots.by_players(conn, tournament.players)
    seated = [known[tournament.players[entrant]] for entrant in planned.seats]
    return MatchSetup(
        id=source.match_id(planned.position),
        game=spec.game,
        seed=source.deal_seed(planned.deal),
        seats=tuple([Seat(bot.name, bot.version) for bot in seated]),
        options=spec.options,
        fault_limit=spec.fault_limit,
        ruleset=kept.ruleset,
    )


def _planned(conn: Connection, tournament: Tournament, position: int) -> PlannedMatch:
    """Return the match with that position in an open batch. Raises NotFound."""
    for batch in batches.open_batches(conn, tournament.id):
        if batch.first <= position < batch.first + len(batch.matches):
            return batch.matches[position - batch.first]
    raise NotFound(f"Match {position} is not in play.")


def _played(setup: MatchSetup, log: bytes) -> RunningMatch | None:
    """Return the scored rounds as a match, None if there are none."""
    over = sum(bool(each.points) for each in replay(setup, log).game.rounds)
    if not over:
        return None
    return RunningMatch(replay(replace(setup, options={**setup.options, ROUNDS: str(over)}), log))
