"""The latest uninterrupted runs of matches: their duration, and the number of decisions."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from sqlalchemy import Connection, Row, Select, exists, select

from arena.games.packed_log import decisions_in
from arena.games.record import RecordError
from arena.store.tables import entrants, matches, tournaments
from arena.store.tournaments.tournaments import OVER

LOOKED_AT = 20_000  # newest matches of all kinds to search
ENOUGH = 2_000
FEWEST, SHORTEST_S = 20, 0.05  # shorter runs say nothing about speed
IDLE_S = 3.0  # between two matches; longer means that nothing was being played
UNDER_WAY = 1_000  # minimum for a running tournament: about as many matches may be in flight
SAMPLE = 100  # matches whose decisions are counted


@dataclass(frozen=True)
class MatchRun:
    """Matches of one tournament that were played without a pause. `seconds` is from the start of
    the first one to the end of the last one, at `newest` (Unix seconds). `sat` is, by player, about
    the number of these matches it played. `options` are the game's, as JSON."""

    game: str
    seats: int
    matches: int
    seconds: float
    newest: float
    sat: Mapping[int, float]
    options: str = "{}"


def runs(conn: Connection, game: str, seats: int) -> list[MatchRun]:
    """The latest runs of a game at tables of `seats` seats, newest first; if there are none, those
    of other kinds.

    Only rated tournaments count; running ones only with very many matches. Of a long run, only the
    newest part is included.
    """
    row = _newest().c
    query = select(row.tournament, row.game, row.seats, row.options, row.started, row.finished)
    query = query.limit(ENOUGH)
    own = _runs(conn, query.where(row.game == game, row.seats == seats))
    return own or _runs(conn, query)


def _runs(conn: Connection, query: Select[Any]) -> list[MatchRun]:
    long_runs = []
    for key, of_one in groupby(sorted(conn.execute(query), key=_of), key=_of):
        for part in _without_pauses(list(of_one)):
            seconds = part[-1].finished - min(match.started for match in part)
            if len(part) < FEWEST or seconds < SHORTEST_S:
                continue
            sat, over = _sat(conn, key[0], len(part))
            if over or len(part) >= UNDER_WAY:
                newest, options = part[-1].finished, part[-1].options
                long_runs.append(MatchRun(key[1], key[2], len(part), seconds, newest, sat, options))
    return sorted(long_runs, key=lambda run: -run.newest)


def decisions(conn: Connection, game: str, seats: int, options: Mapping[str, str]) -> float | None:
    """Average number of decisions (without forced moves) of all seats in the latest matches with
    these options. None if there are too few matches."""
    newest = _newest()
    query = select(newest.c.log).where(newest.c.game == game, newest.c.seats == seats)
    terms = json.dumps(dict(options), sort_keys=True)
    counts = counted(conn.scalars(query.where(newest.c.options == terms).limit(SAMPLE)))
    return sum(counts) / len(counts) if len(counts) >= FEWEST else None


def counted(logs: Iterable[bytes]) -> list[int]:
    """The numbers of decisions (without forced moves) in these logs of matches, without damaged
    ones, which a replay reports."""
    counts = []
    for log in logs:
        with suppress(RecordError):
            counts.append(decisions_in(log))
    return counts


def _newest() -> Any:
    row = matches.c
    # Tested for each match: for a list of tournaments the database would sort all their matches.
    rated = exists().where(tournaments.c.id == row.tournament, tournaments.c.kind == "tournament")
    query = select(row.tournament, row.game, row.seats, row.options, row.log)
    query = query.add_columns(row.started, row.finished)
    return query.where(rated).order_by(row.number.desc()).limit(LOOKED_AT).subquery()


def _of(row: Row[Any]) -> tuple[int, str, int]:
    return row.tournament, row.game, row.seats


def _without_pauses(rows: list[Row[Any]]) -> list[list[Row[Any]]]:
    """The matches of one tournament in the order of their ends, split at pauses."""
    rows = sorted(rows, key=lambda row: row.finished)
    cuts = [
        place
        for place, (one, next_) in enumerate(pairwise(rows), 1)
        if next_.finished - one.finished >= IDLE_S and next_.started - one.finished >= 0
    ]
    return [rows[low:high] for low, high in pairwise([0, *cuts, len(rows)])]


def _sat(conn: Connection, tournament: int, count: int) -> tuple[dict[int, float], bool]:
    """By player, its estimated number among `count` matches, in proportion to the whole tournament;
    and whether the tournament is over."""
    so_far = conn.execute(
        select(tournaments.c.played, tournaments.c.state).where(tournaments.c.id == tournament)
    ).one()
    row = entrants.c
    query = select(row.player, row.matches).where(row.tournament == tournament)
    share = count / max(so_far.played, 1)
    sat = {player: share * its for player, its in conn.execute(query)}
    return sat, so_far.state in OVER
