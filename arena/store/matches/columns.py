"""Matches as columns, so that they are counted in arrays and not one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arena.store.matches.model import MatchOutcome
from arena.tournaments.ratings.deal_sums import FORFEITED, Integers

Booleans = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MatchColumns:
    """M matches with S seats in total, in the order of storing; the seats of a match are adjacent.

    `finished` (Unix seconds) and `seats` (their number) are by match (M,), the others by seat (S,).
    """

    finished: Floats
    seats: Integers
    players: Integers
    points: Integers
    ranks: Integers
    faults: Integers
    forfeited: Booleans

    def __len__(self) -> int:
        return len(self.seats)

    @cached_property
    def first(self) -> Integers:
        """(M,): the index of each match's first seat."""
        return np.asarray(np.cumsum(self.seats) - self.seats)

    @cached_property
    def match(self) -> Integers:
        """(S,): the match of each seat, from 0."""
        return np.repeat(np.arange(len(self.seats)), self.seats)

    @cached_property
    def seat(self) -> Integers:
        """(S,): the seat's number in its match, from 0."""
        return np.asarray(np.arange(len(self.players)) - self.first[self.match])

    @cached_property
    def places(self) -> Integers:
        """(S,): a number that is lower for a better place; forfeits come last."""
        return np.asarray(self.points + FORFEITED * self.forfeited)

    @cached_property
    def won(self) -> Booleans:
        """(S,): see `MatchOutcome.won`."""
        return np.asarray((self.ranks == 1) & ~self.forfeited)

    @cached_property
    def shared(self) -> Booleans:
        """(S,): whether it shared the win."""
        best = np.bincount(self.match, weights=self.ranks == 1, minlength=len(self.seats))
        return np.asarray(self.won & (best[self.match] > 1))

    @cached_property
    def halves(self) -> Integers:
        """(S,): 2 for each opponent beaten and 1 for each tie. Fewer points beat more, and any
        result beats a forfeit."""
        total = np.zeros(len(self.players), dtype=np.int64)
        # Compare each seat with the next one in its match, then with the second next, and so on.
        for apart in range(1, int(self.seats.max(initial=1))):
            pairs = self.match[:-apart] == self.match[apart:]
            mine, theirs = self.places[:-apart], self.places[apart:]
            beaten = 2 * (mine < theirs) + (mine == theirs)
            total[:-apart] += np.where(pairs, beaten, 0)
            total[apart:] += np.where(pairs, 2 - beaten, 0)
        return total

    def counters(self, names: Iterable[str]) -> list[Integers | Booleans]:
        """(S,) each: what these counters of the database count; see `COUNTERS`."""
        columns: dict[str, Integers | Booleans] = {
            "matches": np.ones_like(self.players),
            "wins": self.won,
            "shared": self.shared,
            "points": self.points,
            "opponents": self.seats[self.match] - 1,
            "halves": self.halves,
            "faults": self.faults,
            "forfeits": self.forfeited,
        }
        return [columns[name] for name in names]

    def take(self, chosen: Integers) -> MatchColumns:
        """The matches with these indices, in this order."""
        lengths = self.seats[chosen]
        starts = np.cumsum(lengths) - lengths
        rows = np.arange(int(lengths.sum())) + np.repeat(self.first[chosen] - starts, lengths)
        return self._part(chosen, rows)

    def between(self, start: int, stop: int) -> MatchColumns:
        """The matches from `start` up to `stop`, exclusive, without copying."""
        ends = np.append(self.first, len(self.players))
        rows = slice(int(ends[start]), int(ends[stop]))
        return self._part(slice(start, stop), rows)

    def _part(self, matches: Integers | slice, rows: Integers | slice) -> MatchColumns:
        return MatchColumns(
            self.finished[matches],
            self.seats[matches],
            self.players[rows],
            self.points[rows],
            self.ranks[rows],
            self.faults[rows],
            self.forfeited[rows],
        )


def columns_of(outcomes: Iterable[MatchOutcome]) -> MatchColumns:
    """The columns of these matches, in this order."""
    each = list(outcomes)
    return MatchColumns(
        np.array([outcome.finished for outcome in each], dtype=np.float64),
        np.array([len(outcome.players) for outcome in each], dtype=np.int64),
        _joined([outcome.players for outcome in each]),
        _joined([outcome.points for outcome in each]),
        _joined([outcome.ranks for outcome in each]),
        _joined([outcome.faults for outcome in each]),
        _joined([outcome.forfeited for outcome in each]).astype(np.bool_),
    )


def _joined(by_match: Iterable[Sequence[int]]) -> Integers:
    return np.array([value for values in by_match for value in values], dtype=np.int64)


def sums_by(keys: Integers, columns: Sequence[Integers | Booleans]) -> tuple[Integers, Integers]:
    """The distinct `keys` (S,) in ascending order (K,), and for each key the sums (K, C) of C
    integer columns (S,) over its rows."""
    different, group = np.unique(keys, return_inverse=True)
    sums = [
        # Sums in double precision are exact up to 2^53.
        np.bincount(group, weights=column, minlength=len(different)).astype(np.int64)
        for column in columns
    ]
    return different, np.stack(sums, axis=1)
