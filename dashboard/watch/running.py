"""A match in play for spectators, who see only scored rounds.

Workers publish only the decisions of scored rounds. Replayed with the last of them as the final
round, they are like a finished match, but without a winner.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlalchemy import Connection

from arena.base.errors import ArenaError, NotFound
from arena.games.match import Match, MatchSetup, Seat
from arena.games.packed_log import decisions_in, pack, replay
from arena.protocol.internal.checkpoint_pb2 import SuspendedMatch
from arena.store.registry import bots
from arena.store.tournaments import batches, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import FromSecret, PlannedMatch
from dashboard.matches.detail.sheet import sheet
from dashboard.matches.replay.course import Course
from dashboard.matches.replay.states import NOBODY, State, states

ROUNDS = "max_rounds"


@dataclass(frozen=True)
class RunningMatch:
    """A match in play, up to the end of its last scored round."""

    match: Match

    @property
    def course(self) -> Course:
        return Course([len(log.moves) for log in self.match.game.rounds])

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
