"""Highlights of the latest matches: upsets, close finishes, faults, and the featured match."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arena.store.cache import DatabaseCache
from arena.store.matches import matches
from arena.store.matches.matches import MatchRow
from arena.store.matches.rows import SeatRow
from arena.store.tables import archives, rated_games
from arena.store.tables import matches as match_rows

SURPRISING = 100.0  # minimum Elo gap between the winner and the best at the table
CLOSE = 3  # maximum points between first and second


@dataclass(frozen=True)
class Upset:
    """An unexpected win: the favourite, `second` here, was rated `gap` Elo higher."""

    match: MatchRow
    winner: SeatRow
    second: SeatRow
    gap: float


@dataclass(frozen=True)
class Finish:
    """The end of a match: the first and second bot and the margin."""

    match: MatchRow
    winner: SeatRow
    second: SeatRow
    margin: int


@dataclass(frozen=True)
class Faulty:
    """A match with the seat that had most faults."""

    match: MatchRow
    seat: SeatRow


_latest: DatabaseCache[list[MatchRow]] = DatabaseCache(4)


def latest(conn: Connection, most: int) -> list[MatchRow]:
    """Return the latest matches, newest first, cached until one is stored, rated or archived."""
    return _latest.get(
        conn,
        (most,),
        _stored,
        lambda now: matches.list_matches(now, limit=most)[0],
        lambda rows: rows,
    )


def _stored(conn: Connection) -> Hashable:
    """Return a value that changes when a match is stored, rated, archived or restored."""
    return tuple(tuple(row) for query in VERSION for row in conn.execute(query))


VERSION = (
    select(func.max(match_rows.c.number)),
    select(rated_games.c.game, rated_games.c.rated, rated_games.c.rebuilt),
    select(func.max(archives.c.id), func.count()).select_from(archives),
)


def upsets(rows: Sequence[MatchRow], most: int) -> list[Upset]:
    """Return the biggest upsets, biggest first, with each winner only once."""
    found = sorted(_upsets(rows), key=lambda upset: -upset.gap)
    once = {upset.winner.player: upset for upset in reversed(found)}
    return sorted(once.values(), key=lambda upset: -upset.gap)[:most]


def closest(rows: Sequence[MatchRow], most: int) -> list[Finish]:
    """Return the narrowest victories, narrowest first, without shared ones."""
    found = (finish for finish in map(_finish, rows) if finish and 0 < finish.margin <= CLOSE)
    return sorted(found, key=lambda finish: finish.margin)[:most]


def faulty(rows: Sequence[MatchRow], most: int) -> list[Faulty]:
    """Return the matches with a forfeit or most faults, worst first, with each bot only once."""
    seats = [Faulty(row, seat) for row in rows for seat in row.seats if seat.faults]
    worst = sorted(seats, key=lambda each: (each.seat.forfeited, each.seat.faults), reverse=True)
    once = {each.seat.player: each for each in reversed(worst)}
    return [each for each in worst if once[each.seat.player] is each][:most]


def featured(rows: Sequence[MatchRow]) -> tuple[MatchRow, Finish | None] | None:
    """Return the match to feature, with its finish.

    This is the closest match that is not locked and has no forfeits; the bigger upset breaks ties.
    Without one, it is the newest match that is not locked.
    """
    open_ones = [row for row in rows if not row.locked]
    clean = [finish for finish in map(_finish, open_ones) if finish and finish.margin > 0]
    if not clean:
        return (open_ones[0], None) if open_ones else None
    gaps = {upset.match.number: upset.gap for upset in _upsets(open_ones)}
    best = min(clean, key=lambda finish: (finish.margin, -gaps.get(finish.match.number, 0.0)))
    return best.match, best


def _upsets(rows: Sequence[MatchRow]) -> Iterator[Upset]:
    for row in rows:
        winners = [seat for seat in row.seats if seat.rank == 1 and not seat.forfeited]
        rated = [seat for seat in row.seats if seat.elo_before is not None]
        if len(winners) != 1 or len(rated) != len(row.seats):
            continue
        favourite = max(rated, key=_elo)
        gap = _elo(favourite) - _elo(winners[0])
        if gap >= SURPRISING and not favourite.forfeited:
            yield Upset(row, winners[0], favourite, gap)


def _elo(seat: SeatRow) -> float:
    return seat.elo_before or 0.0


def _finish(row: MatchRow) -> Finish | None:
    """Return the finish of a match; None after a forfeit."""
    if any(seat.forfeited for seat in row.seats):
        return None
    first, second = sorted(row.seats, key=lambda seat: seat.rank)[:2]
    return Finish(row, first, second, second.points - first.points)
