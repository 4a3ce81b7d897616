"""Results of tables: the matches of the same entrants, added up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.tournaments.formats.plan import Played
from arena.tournaments.ratings.elo import score


@dataclass(slots=True)
class TableResult:
    """The sum over all deals of a table. Lists are in the order of `entrants` (ascending).

    `halves` counts 2 for every opponent beaten in a match and 1 for every tie, so the maximum
    per match is 2 (k - 1). A forfeit is worse than any number of penalty points.
    """

    entrants: tuple[int, ...]
    halves: list[int]
    points: list[int]
    matches: int = 0

    @property
    def most(self) -> int:
        """The maximum of half-points in these matches."""
        return 2 * (len(self.entrants) - 1) * self.matches

    def add(self, played: Played) -> None:
        """Adds a match."""
        places = list(zip(played.forfeited, played.points, strict=True))
        for entrant, place in zip(played.match.seats, places, strict=True):
            at = self.entrants.index(entrant)
            # The comparison with itself gives every entrant a half. Subtract it.
            self.halves[at] += int(2 * sum(score(place, other) for other in places)) - 1
            self.points[at] += place[1]
        self.matches += 1

    def ranking(self, seed: Mapping[int, int]) -> list[int]:
        """Returns indices into `entrants`, best first: by half-points, then fewer penalty points,
        then `seed` (by entrant)."""
        return sorted(
            range(len(self.entrants)),
            key=lambda at: (-self.halves[at], self.points[at], seed[self.entrants[at]]),
        )

    def as_json(self) -> list[Any]:
        """Returns the result in the form that `read` accepts."""
        return [list(self.entrants), self.halves, self.points, self.matches]

    @classmethod
    def read(cls, stored: Sequence[Any]) -> TableResult:
        """Reads a result from its JSON form."""
        entrants, halves, points, matches = stored
        return cls(tuple(entrants), list(halves), list(points), matches)


def tables_of(played: Iterable[Played]) -> list[TableResult]:
    """Returns the results by table, tables in ascending order."""
    tables: dict[tuple[int, ...], TableResult] = {}
    for one in played:
        entrants = tuple(sorted(one.match.seats))
        nothing = [0] * len(entrants)
        tables.setdefault(entrants, TableResult(entrants, [*nothing], [*nothing])).add(one)
    return [tables[key] for key in sorted(tables)]
