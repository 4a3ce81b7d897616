"""What tables came to: the results of the matches that the same entrants played, added up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.pairing.plan import Played
from arena.rating.elo import score


@dataclass(slots=True)
class TableResult:
    """All deals of one table, added up; the lists are in the order of `entrants` (ascending).

    `halves` has 2 for every opponent beaten in a match and 1 for every tie with one, so a match
    is worth at most 2 (k - 1). A forfeit is worse than any number of points. `forfeits` counts
    those since the last match that was not forfeited.
    """

    entrants: tuple[int, ...]
    halves: list[int]
    points: list[int]
    matches: int = 0
    forfeits: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.forfeits = self.forfeits or [0] * len(self.entrants)

    @property
    def most(self) -> int:
        """The most half-points that there were to be had."""
        return 2 * (len(self.entrants) - 1) * self.matches

    def add(self, played: Played) -> None:
        """Takes one match in."""
        places = list(zip(played.forfeited, played.points, strict=True))
        for entrant, place in zip(played.match.seats, places, strict=True):
            at = self.entrants.index(entrant)
            # Against itself everybody has a half, which does not count.
            self.halves[at] += int(2 * sum(score(place, other) for other in places)) - 1
            self.points[at] += place[1]
            self.forfeits[at] = self.forfeits[at] + 1 if place[0] else 0
        self.matches += 1

    def ranking(self, seed: Mapping[int, int]) -> list[int]:
        """Places in `entrants`, best first: most half-points, then fewest points, then best seed
        (entrant: its number)."""
        return sorted(
            range(len(self.entrants)),
            key=lambda at: (-self.halves[at], self.points[at], seed[self.entrants[at]]),
        )

    def as_json(self) -> list[Any]:
        """The other way of `read`."""
        return [list(self.entrants), self.halves, self.points, self.matches, self.forfeits]

    @classmethod
    def read(cls, stored: Sequence[Any]) -> TableResult:
        """From JSON; earlier releases counted no forfeits."""
        entrants, halves, points, matches, *forfeits = stored
        return cls(tuple(entrants), list(halves), list(points), matches, *map(list, forfeits))


def tables_of(played: Iterable[Played]) -> list[TableResult]:
    """The results of matches by table, tables in ascending order."""
    tables: dict[tuple[int, ...], TableResult] = {}
    for one in played:
        entrants = tuple(sorted(one.match.seats))
        nothing = [0] * len(entrants)
        tables.setdefault(entrants, TableResult(entrants, [*nothing], [*nothing])).add(one)
    return [tables[key] for key in sorted(tables)]


def forfeits_in_a_row(entrants: int, stages: Iterable[Iterable[TableResult]]) -> list[int]:
    """By entrant, how many matches it has forfeited since the last one that it did not."""
    in_a_row = [0] * entrants
    for stage in stages:
        for table in stage:
            for entrant, forfeits in zip(table.entrants, table.forfeits, strict=True):
                before = in_a_row[entrant] if forfeits == table.matches else 0
                in_a_row[entrant] = before + forfeits
    return in_a_row
