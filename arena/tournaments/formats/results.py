"""What tables came to: the results of the matches that the same entrants played, added up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.tournaments.formats.plan import Played
from arena.tournaments.ratings.elo import score


@dataclass(slots=True)
class TableResult:
    """All deals of one table, added up; the lists are in the order of `entrants` (ascending).

    `halves` has 2 for every opponent beaten in a match and 1 for every tie with one, so a match
    is worth at most 2 (k - 1). A forfeit is worse than any number of points.
    """

    entrants: tuple[int, ...]
    halves: list[int]
    points: list[int]
    matches: int = 0

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
        return [list(self.entrants), self.halves, self.points, self.matches]

    @classmethod
    def read(cls, stored: Sequence[Any]) -> TableResult:
        """From JSON."""
        entrants, halves, points, matches = stored
        return cls(tuple(entrants), list(halves), list(points), matches)


def tables_of(played: Iterable[Played]) -> list[TableResult]:
    """The results of matches by table, tables in ascending order."""
    tables: dict[tuple[int, ...], TableResult] = {}
    for one in played:
        entrants = tuple(sorted(one.match.seats))
        nothing = [0] * len(entrants)
        tables.setdefault(entrants, TableResult(entrants, [*nothing], [*nothing])).add(one)
    return [tables[key] for key in sorted(tables)]
