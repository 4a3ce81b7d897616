"""How long what is left of a tournament takes.

In two steps, so that nobody holds a connection to the database while waiting for Redis: `read`
reads the one, `estimate` takes what the other knows.

Matches are counted when they are over, and hundreds are played side by side. So as long as the
first ones are in flight, the number of those that are over says little, and neither does what it
rose by lately: then it is time that tells how far a tournament is, within what the matches allow.
After that it is the speed of the last seconds, unless a bot needs longer for what it has left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from arena.forecast.forecast import Forecast, forecast
from arena.forecast.measured import Measured, measured
from arena.forecast.schedule import PlannedLoad, schedule, shares_alike, without
from arena.forecast.seen import LivePace
from arena.pairing import SoFar, format_of
from arena.store.matches.matches import finished_since
from arena.store.projections import counters
from arena.store.tournaments import format_state, withdrawals
from arena.store.tournaments.tournaments import OVER, Tournament

WINDOW_S = 10.0  # matches that ended in the last so many seconds make the speed
FIRST = 2  # times as many as are in flight have to be over before speed tells anything


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
    shares_alike: bool
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
        shares_alike(spec),
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
    """How long it takes; a worker keeps so many matches `in_flight`."""
    return replace(_of_all(left, live, in_flight), likely=left.likely)


def _of_all(left: Left, live: LivePace, in_flight: int) -> Forecast:
    """How long it takes if it is played to the last match."""
    played = left.by_player if left.shares_alike else {}
    rest = forecast(left.plan, left.measured, live, in_flight, played)
    if not rest.matches or not (left.speed or left.runs_s):
        return rest
    most = min(in_flight * live.workers, -(-left.whole.matches // left.whole.blocks))
    if left.runs_s is not None and left.played < FIRST * most:
        whole = forecast(left.whole, left.measured, live, in_flight)
        return replace(rest, seconds=_by_time(left, whole, most, left.runs_s))
    # Those in flight are half played.
    still = 1 - min(rest.matches, most) / 2 / rest.matches
    slow = rest.matches / left.speed if left.speed else 0.0
    return replace(rest, seconds=max(rest.seconds if rest.waits or not slow else 0.0, slow) * still)


def _by_time(left: Left, whole: Forecast, most: int, passed: float) -> float:
    """From how much of the whole time has passed: at least as much as matches are over, at most
    so much more as can be done of those in flight. Matches of the slowest bot count, if it is
    waited for."""
    matches, over = float(whole.matches), left.played
    if whole.waits and whole.slowest is not None and left.shares_alike:
        shares = dict(zip((bot for _, bot in left.measured.of), left.whole.shares, strict=True))
        players = {bot: player for player, bot in left.measured.of}
        matches *= shares[whole.slowest.bot]
        over = left.by_player.get(players[whole.slowest.bot], 0)
    flying = min(matches - over, most)
    done = 0.5 + 0.4 * min(1.0, most / matches)
    share, most_done = passed / max(whole.seconds, 1e-9), (over + done * flying) / matches
    if share > most_done:  # it takes longer than was foreseen: the less is known of those in flight
        done = max(done - 0.8 * (share / most_done - 1), 0.5)
        share = (over + done * flying) / matches
    share = max(share, over / matches)
    return passed * (1 / share - 1) if share and passed else whole.seconds
