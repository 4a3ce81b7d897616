"""Highlights of the latest matches: upsets, close finishes, and the featured match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.store.matches.matches import MatchRow
from arena.store.matches.rows import SeatRow

SURPRISING = 100.0  # minimum Elo gap between the winner and the best at the table
CLOSE = 3  # maximum points between first and second


@dataclass(frozen=True)
class Upset:
    """An unexpected win: the `favourite` was rated `gap` Elo higher."""

    match: MatchRow
    winner: SeatRow
    favourite: SeatRow
    gap: float


@dataclass(frozen=True)
class Finish:
    """The end of a match: the first and second bot and the margin."""

    match: MatchRow
    winner: SeatRow
    second: SeatRow
    margin: int


def upsets(rows: Sequence[MatchRow], most: int) -> list[Upset]:
    """Return the biggest upsets, biggest first, with each winner only once."""
    found = sorted(_upsets(rows), key=lambda upset: -upset.gap)
    once = {upset.winner.player: upset for upset in reversed(found)}
    return sorted(once.values(), key=lambda upset: -upset.gap)[:most]


def closest(rows: Sequence[MatchRow], most: int) -> list[Finish]:
    """Return the narrowest victories, narrowest first, without shared ones."""
    found = (finish for finish in map(_finish, rows) if finish and 0 < finish.margin <= CLOSE)
    return sorted(found, key=lambda finish: finish.margin)[:most]


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
