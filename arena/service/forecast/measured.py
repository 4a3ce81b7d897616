"""The input of a forecast: the workload of a schedule, the speed of bots and of the arena from the
database, and the state of bots and workers from Redis."""

import json
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import redis
from sqlalchemy import Connection

from arena.games.rules import game_class
from arena.service.forecast import typical
from arena.service.live import queues
from arena.service.live.paces import paces
from arena.service.live.player_presence import Paces, Presence
from arena.service.live.presence import present
from arena.service.live.vitals import vitals
from arena.store.cache import Cache
from arena.store.engine import store_of
from arena.store.projections import latencies, seat_totals
from arena.store.registry import bots
from arena.store.reports import runs
from arena.store.reports.runs import MatchRun
from arena.store.tournaments import lists
from arena.tournaments.formats import NOTHING, SoFar, TournamentSpec, format_of

KEPT_S = 10.0  # lifetime of cached data, which a form requests at every keystroke
KEPT_LIVE_S = 5.0
LEAST, MOST = 0.2, 3.0  # limits of a player's number of decisions, relative to the mean


@dataclass(frozen=True)
class Answers:
    """A player's mean and median answer times in microseconds, in the game if it has played it,
    otherwise in all games."""

    mean_us: float
    p50_us: int


@dataclass(frozen=True)
class Measured:
    """Measurements of a tournament's kind of matches and its players."""

    game: str
    seats: int
    decisions: float  # in a match, all seats together
    of: tuple[tuple[int, str], ...]  # the entrants' players and names
    answers: Mapping[int, Answers] = field(default_factory=dict)  # by player
    asks: Mapping[int, float] = field(default_factory=dict)  # decisions in a match, by player
    runs: tuple[MatchRun, ...] = ()  # the latest ones, also of other players
    options: str = "{}"  # of the game, as JSON

    @property
    def players(self) -> set[int]:
        """All players whose data in Redis is needed."""
        return {player for player, _ in self.of} | {p for run in self.runs for p in run.sat}

    def decisions_of(self, player: int) -> float:
        """The number of a player's decisions in a match."""
        return self.asks.get(player, self.decisions / self.seats)


_speeds: Cache[tuple[tuple[MatchRun, ...], float]] = Cache(64)
_habits: Cache[tuple[dict[int, Answers], dict[int, float]]] = Cache(16)


def measured(conn: Connection, spec: TournamentSpec, players: Sequence[int]) -> Measured:
    """The measurements for a checked spec and its players in entrant order. They may be cached for
    a few seconds."""
    whose = store_of(conn).identity
    latest_runs, decisions = _speeds.get(
        (whose, spec.game, spec.seats, tuple(sorted(spec.options.items()))),
        (time.monotonic() // KEPT_S, lists.last_finished(conn)),
        lambda: _read_speed(conn, spec),
    )
    everyone = frozenset({*players, *(player for run in latest_runs for player in run.sat)})
    answers, talk = _habits.get(
        (whose, spec.game, everyone),
        time.monotonic() // KEPT_LIVE_S,
        lambda: _read_habits(conn, spec.game, everyone),
    )
    found = bots.by_players(conn, players)
    of = tuple(
        (player, found[player].called(asked))
        for player, asked in zip(players, spec.bots, strict=True)
    )
    if dict(spec.options) != game_class(spec.game).check_options({}):
        talk = {}  # the options of their earlier matches are not known
    each = typical.decisions(spec.game, spec.seats) / spec.seats
    asks = {player: share * each for player, share in talk.items()}
    options = json.dumps(dict(spec.options), sort_keys=True)
    return Measured(spec.game, spec.seats, decisions, of, answers, asks, latest_runs, options)


def _read_speed(conn: Connection, spec: TournamentSpec) -> tuple[tuple[MatchRun, ...], float]:
    mean = runs.decisions(conn, spec.game, spec.seats, spec.options)
    usual = typical.decisions(spec.game, spec.seats)
    return tuple(runs.runs(conn, spec.game, spec.seats)), usual if mean is None else mean


def _read_habits(
    conn: Connection, game: str, players: Collection[int]
) -> tuple[dict[int, Answers], dict[int, float]]:
    histograms = latencies.histograms(conn, players)
    answers = {player: _answers(by_game, game) for player, by_game in histograms.items()}
    played = seat_totals.matches_by_seats(conn, game, players)
    talk = {
        player: _talk(game, histograms.get(player, {}).get(game, Counter()), by_seats)
        for player, by_seats in played.items()
    }
    return answers, talk


def _answers(by_game: Mapping[str, Counter[int]], game: str) -> Answers:
    counts = by_game.get(game) or sum(by_game.values(), Counter())
    return Answers(latencies.mean_us(counts), latencies.quantile(counts, 0.5))


def _talk(game: str, counts: Counter[int], by_seats: Mapping[int, int]) -> float:
    """The ratio of a player's number of decisions to the usual one."""
    usual = sum(n * typical.decisions(game, seats) / seats for seats, n in by_seats.items())
    decisions = counts.total()
    return min(max(decisions / usual, LEAST), MOST) if decisions and usual else 1.0


@dataclass(frozen=True)
class LivePace:
    """The connected players, the answer rates, and the number of workers."""

    known: bool = False  # whether Redis could be asked
    here: Mapping[int, Presence] = field(default_factory=dict)  # by player
    paces: Mapping[int, Paces] = field(default_factory=dict)  # by player
    workers: int = 1  # each with several processes


NOBODY = LivePace()


def seen(client: redis.Redis, players: Iterable[int]) -> LivePace:
    """Reads the state of these players and of the workers. Raises RedisError."""
    ids = sorted(set(players))
    alive = vitals(client).workers[queues.PLAY]
    return LivePace(True, present(client, ids), paces(client, ids), max(alive, 1))


@dataclass(frozen=True)
class PlannedLoad:
    """The workload of a tournament or of its remainder."""

    matches: int
    shares: tuple[float, ...]  # of the matches in which each entrant has a seat; expected values
    blocks: int  # each starts after the last match of the previous block


def schedule(spec: TournamentSpec, matches: int, so_far: SoFar = NOTHING) -> PlannedLoad:
    """The workload of a checked tournament with `matches` matches, or with these left after
    `so_far`."""
    format_ = format_of(spec.format)
    blocks = max(1, format_.blocks_left(spec, matches, so_far))
    return PlannedLoad(matches, format_.shares(spec, so_far), blocks)


def without(plan: PlannedLoad, withdrawn: Collection[int]) -> PlannedLoad:
    """The plan without the shares of withdrawn entrants."""
    shares = [0.0 if one in withdrawn else share for one, share in enumerate(plan.shares)]
    return replace(plan, shares=tuple(shares))
