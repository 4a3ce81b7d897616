"""How long what is left of a tournament takes.

In two steps, so that nobody holds a connection to the database while waiting for Redis: `read`
reads the one, `estimate` takes what the other knows.

Matches are counted when they are over, and hundreds are played at the same time. What counts is the
player who is furthest behind, since all wait for that player's matches at the end.

1. While fewer of these matches are over than are in flight, their number says little. The share of
   the forecast time that has passed is used, within the limits that the matches set.
2. Then the measured rate of stored matches is used, of the whole run at first.
3. With twice as many over as in flight, the rate of the last seconds is used.

In the last two, forecasts from how fast bots answer no longer matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from arena.service.forecast.forecast import Forecast, forecast, slow
from arena.service.forecast.measured import Measured, measured
from arena.service.forecast.schedule import PlannedLoad, schedule, without
from arena.service.forecast.seen import LivePace
from arena.store.matches.matches import finished_since
from arena.store.projections import counters
from arena.store.tournaments import format_state, withdrawals
from arena.store.tournaments.tournaments import OVER, Tournament
from arena.tournaments.formats import SoFar, format_of

WINDOW_S = 10.0  # matches that ended in the last so many seconds make the speed
LATELY = 2  # times as many as are in flight are over before the speed of the window is used
HALF = 0.5  # of a match in flight is played, on average
AT_BOTS = 0.1  # of the matches in flight wait for bots, if bots are what slows it down
SHARE = 1 / 3  # of all open decisions are in the longest queue
TIMES = 2.0  # the mean of the other queues


@dataclass(frozen=True)
class Left:
    """What is left of a tournament and what it was as a whole; how many matches it and each player
    have behind them, how many a second ended lately, for how many seconds it has been played
    without a pause (None: it was paused, or does not run), and how many matches are `likely` to be
    left if results go on as so far (None: all of them, or nobody knows)."""

    plan: PlannedLoad
    whole: PlannedLoad
    measured: Measured
    played: int
    by_player: Mapping[int, int]
    evens_out: bool
    speed: float
    runs_s: float | None
    likely: int | None = None


def read(conn: Connection, tournament: Tournament, now: float) -> Left | None:
    """What the database knows of it at this moment (Unix seconds); None where it is over, while
    bots may still enter, and of a table, where people take their time."""
    unknown = tournament.kind == "table" or tournament.sign_up is not None
    if tournament.state in OVER or unknown:
        return None
    spec, so_far = tournament.spec, format_state.get(conn, tournament.id).so_far
    matches = max(tournament.planned - tournament.played, 0)
    plan = schedule(spec, matches, so_far)
    return Left(
        without(plan, withdrawals.times(conn, tournament.id)),
        schedule(spec, tournament.planned),
        measured(conn, spec, tournament.players),
        tournament.played,
        counters.played(conn, tournament.id),
        format_of(spec.format).evens_out,
        lately(conn, tournament, now),
        _runs_s(tournament, now),
        _likely(tournament, so_far),
    )


def _likely(tournament: Tournament, so_far: SoFar) -> int | None:
    end = format_of(tournament.spec.format).likely_end(tournament.spec, so_far)
    if end is None or end >= tournament.planned:
        return None
    return max(end - tournament.played, 0)


def lately(conn: Connection, tournament: Tournament, now: float) -> float:
    """How many matches a second ended in the last seconds, while it runs."""
    if tournament.state != "running" or tournament.started is None:
        return 0.0
    window = max(min(WINDOW_S, now - tournament.started), 1.0)
    return finished_since(conn, tournament.id, now - window) / window


def _runs_s(tournament: Tournament, now: float) -> float | None:
    started = tournament.started
    if tournament.state != "running" or started is None or tournament.waiting_since > started:
        return None
    return max(now - started - tournament.queued_s, 0.0)


def estimate(left: Left, live: LivePace, in_flight: int) -> Forecast:
    """How long it takes; a worker keeps so many matches `in_flight`. While it is played, a bot is
    blamed if decisions queue for it, whatever was measured of it before."""
    found = replace(_of_all(left, live, in_flight), likely=left.likely)
    flying = min(found.matches, _most(left, live, in_flight))
    known, player = bottleneck(left.measured, live, flying)
    if not (known and left.speed):
        return found
    if player is None:
        return replace(found, blames=False)
    named = slow(left.plan, left.measured, live, player)
    if named is None or (found.slowest and named.bot == found.slowest.bot):
        return replace(found, blames=named is not None)
    return replace(found, slowest=named, without_slowest=found.seconds, blames=True)


def _of_all(left: Left, live: LivePace, in_flight: int) -> Forecast:
    """How long it takes if it is played to the last match."""
    played = left.by_player if left.evens_out else {}
    rest = forecast(left.plan, left.measured, live, in_flight, played)
    if not rest.matches or not (left.speed or left.runs_s):
        return rest
    most = _most(left, live, in_flight)
    behind = _furthest_behind(left, min(rest.matches, most))
    if left.runs_s is not None and (behind.over < LATELY * behind.flying or not left.speed):
        done = behind.over + HALF * behind.flying
        seconds = left.runs_s * (behind.matches - done) / max(done, 1e-9)
        if behind.over < behind.flying:
            whole = forecast(left.whole, left.measured, live, in_flight)
            known = behind.over / behind.flying
            by_time = _by_time(left.runs_s, whole.seconds, behind)
            seconds = known * seconds + (1 - known) * by_time
        return rest.taking(seconds)
    if not left.speed:
        return rest
    still = 1 - HALF * min(rest.matches, most) / rest.matches
    lag = (1 - behind.over / behind.matches) / (rest.matches / left.whole.matches)
    return rest.taking(rest.matches / left.speed * still * lag)


def _most(left: Left, live: LivePace, in_flight: int) -> int:
    """How many matches are in flight at a time, at most."""
    return min(in_flight * live.workers, -(-left.whole.matches // left.whole.blocks))


@dataclass(frozen=True, slots=True)
class _Matches:
    """Matches that are over and in flight, of all matches."""

    over: float
    flying: float
    matches: float


def _furthest_behind(left: Left, flying: int) -> _Matches:
    """The matches of the player who has played the smallest share of theirs; of the tournament
    where players have no fixed share. All wait for that player's matches at the end."""
    found = _Matches(left.played, flying, left.whole.matches)
    if not (left.evens_out and left.by_player):
        return found
    for (player, _), share in zip(left.measured.of, left.whole.shares, strict=True):
        over, matches = left.by_player.get(player, 0), share * left.whole.matches
        if share and over / matches < found.over / found.matches:
            started = share * (left.played + flying)
            found = _Matches(over, min(started - over, flying), matches)
    return found


def _by_time(passed: float, expected: float, behind: _Matches) -> float:
    """From how much of the `expected` time has passed: at least as much as matches are over, at
    most so much more as can be done of those in flight."""
    over, matches = behind.over, behind.matches
    done = HALF + 0.4 * min(1.0, behind.flying / matches)
    share, most_done = passed / max(expected, 1e-9), (over + done * behind.flying) / matches
    if share > most_done:  # later than forecast: the less is known of those in flight
        done = max(done - 0.8 * (share / most_done - 1), HALF)
        share = (over + done * behind.flying) / matches
    share = max(share, over / matches)
    return passed * (1 / share - 1) if share and passed else expected


def bottleneck(measured: Measured, live: LivePace, flying: int) -> tuple[bool, int | None]:
    """Whether queues show the bottleneck of a tournament with `flying` matches in flight, and the
    player with the queue; None if the arena itself is the bottleneck."""
    queues = {player: live.here[player].queue for player, _ in measured.of if player in live.here}
    total = sum(queues.values())
    if not queues or total < AT_BOTS * flying:
        return bool(queues), None
    player = max(queues, key=queues.__getitem__)
    longest = queues[player]
    others = (total - longest) / max(len(queues) - 1, 1)
    named = longest >= SHARE * total and longest >= TIMES * others
    return True, player if named else None
