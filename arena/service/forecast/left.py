"""Forecasts the remainder of a running tournament.

`read` reads the database and `estimate` uses data from Redis, so that no database connection is
held while waiting for Redis.

Matches count when they are over, and hundreds are played at the same time. The player who is
furthest behind determines the end.

1. While fewer of these matches are over than in flight, the estimate uses the passed share of the
   forecast time, within limits that the matches set.
2. Then it uses the measured rate of the whole run.
3. With twice as many over as in flight, it uses the rate of the last seconds, if enough matches
   ended in them. Otherwise the end of one slow match would look like a high rate.

Steps 2 and 3 do not use the measured speed of bots.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from arena.service.forecast.forecast import Forecast, forecast, slow
from arena.service.forecast.measured import (
    LivePace,
    Measured,
    PlannedLoad,
    measured,
    schedule,
    without,
)
from arena.store.matches.matches import finished_since
from arena.store.projections import counters
from arena.store.tournaments import format_state, withdrawals
from arena.store.tournaments.tournaments import OVER, Tournament
from arena.tournaments.formats import SoFar, format_of

WINDOW_S = 10.0  # the time over which the current rate is measured
LATELY = 2  # the ratio of matches over to matches in flight from which that rate is used
ENOUGH = 10  # matches in that time from which that rate is used
HALF = 0.5  # the part of a match in flight that is played, on average
# Bots are the bottleneck if at least this share of the matches in flight waits for them.
AT_BOTS = 0.1
# One bot is the bottleneck if it has this share of all open decisions, and this many times the mean
# of the other bots.
SHARE = 1 / 3
TIMES = 2.0


@dataclass(frozen=True)
class Left:
    """The remainder of a tournament."""

    plan: PlannedLoad
    whole: PlannedLoad  # the plan at the start
    measured: Measured
    played: int  # finished matches
    by_player: Mapping[int, int]  # finished matches of each player
    evens_out: bool
    speed: float  # matches that ended per second recently
    runs_s: float | None  # seconds of play; None if it was paused or is not running
    likely: int | None = None  # matches likely to be left at the current results; None if unknown


def read(conn: Connection, tournament: Tournament, now: float) -> Left | None:
    """Reads the remainder of a tournament. `now` is in Unix seconds. Returns None if the tournament
    is over or open for sign-up, and for games against people."""
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
    """The number of matches that ended per second recently; 0 if it is not running."""
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
    """Forecasts the remainder, if each worker has `in_flight` matches in flight. While matches are
    played, a bot is blamed if decisions queue for it, whatever its measured speed."""
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
    """The forecast if all planned matches are played."""
    played = left.by_player if left.evens_out else {}
    rest = forecast(left.plan, left.measured, live, in_flight, played)
    if not rest.matches or not (left.speed or left.runs_s):
        return rest
    most = _most(left, live, in_flight)
    behind = _furthest_behind(left, min(rest.matches, most))
    few = left.speed * WINDOW_S < ENOUGH
    if left.runs_s is not None and (behind.over < LATELY * behind.flying or few):
        done = behind.over + HALF * behind.flying
        seconds = left.runs_s * (behind.matches - done) / max(done, 1e-9)
        if behind.over < behind.flying:
            whole = forecast(left.whole, left.measured, live, in_flight)
            known = behind.over / behind.flying
            by_time = _by_time(left.runs_s, whole.seconds, behind)
            seconds = known * seconds + (1 - known) * by_time
        return rest.taking(seconds)
    if few:
        return rest
    still = 1 - HALF * min(rest.matches, most) / rest.matches
    lag = (1 - behind.over / behind.matches) / (rest.matches / left.whole.matches)
    return rest.taking(rest.matches / left.speed * still * lag)


def _most(left: Left, live: LivePace, in_flight: int) -> int:
    """The largest possible number of matches in flight."""
    return min(in_flight * live.workers, -(-left.whole.matches // left.whole.blocks))


@dataclass(frozen=True, slots=True)
class _Matches:
    over: float
    flying: float
    matches: float


def _furthest_behind(left: Left, flying: int) -> _Matches:
    """The matches of the player that has finished the smallest share, or of the whole tournament
    if players have no fixed shares."""
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
    """The remaining seconds by the passed share of the `expected` time. The share is at least that
    of the matches over, plus at most the part that may be done of those in flight."""
    over, matches = behind.over, behind.matches
    done = HALF + 0.4 * min(1.0, behind.flying / matches)
    share, most_done = passed / max(expected, 1e-9), (over + done * behind.flying) / matches
    if share > most_done:  # later than forecast, so less is known of those in flight
        done = max(done - 0.8 * (share / most_done - 1), HALF)
        share = (over + done * behind.flying) / matches
    share = max(share, over / matches)
    return passed * (1 / share - 1) if share and passed else expected


def bottleneck(measured: Measured, live: LivePace, flying: int) -> tuple[bool, int | None]:
    """Returns whether queues are known, and the player that is the bottleneck of `flying` matches
    in flight; None if no single player is."""
    queues = {player: live.here[player].queue for player, _ in measured.of if player in live.here}
    total = sum(queues.values())
    if not queues or total < AT_BOTS * flying:
        return bool(queues), None
    player = max(queues, key=queues.__getitem__)
    longest = queues[player]
    others = (total - longest) / max(len(queues) - 1, 1)
    named = longest >= SHARE * total and longest >= TIMES * others
    return True, player if named else None
