"""Tournaments in stages: each stage's tables depend on the results of earlier stages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.tournaments.formats.cycles import cycles
from arena.tournaments.formats.plan import NOTHING, Format, Place, PlannedMatch, Played, SoFar
from arena.tournaments.formats.rotations import block_of
from arena.tournaments.formats.spec import TournamentSpec
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


Stage = Sequence[TableResult]


class Staged(Format):
    """A block is a stage. The state has the results by table of every finished stage."""

    needs_results = True

    @abstractmethod
    def draw(self, spec: TournamentSpec, so_far: SoFar) -> list[list[int]]:
        """Returns the entrants by table of the next stage; empty after the last."""

    def standings(self, spec: TournamentSpec, stages: Sequence[Stage]) -> tuple[Place, ...]:
        """Returns sort keys by entrant, in addition to score."""
        return ()

    def still_in(self, spec: TournamentSpec, stages: Sequence[Stage]) -> Collection[int]:
        """Returns the entrants that go on after these stages; empty if none drop out."""
        return ()

    @abstractmethod
    def stages_in_all(self, spec: TournamentSpec) -> int:
        """Returns the total number of stages."""

    def blocks_left(self, spec: TournamentSpec, matches: int, so_far: SoFar = NOTHING) -> int:
        """Returns the number of remaining stages."""
        return self.stages_in_all(spec) - len(stages_of(so_far))

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """Returns the next stage: every table with its cycles."""
        stages = stages_of(so_far)
        matches = sum(table.matches for stage in stages for table in stage)
        played = matches // self.cycle_length(spec)
        tables = self.draw(spec, so_far)
        return block_of(spec, number, played, tables * cycles(spec))

    def fold(self, spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]) -> SoFar:
        """Adds a stage."""
        stage = [table.as_json() for table in tables_of(played)]
        return {"stages": [*so_far.get("stages", ()), stage]}

    def places(self, spec: TournamentSpec, so_far: SoFar) -> tuple[Place, ...]:
        """Returns the sort keys that the finished stages decide."""
        return self.standings(spec, stages_of(so_far))


def stages_of(so_far: SoFar) -> list[Stage]:
    return [[TableResult.read(table) for table in stage] for stage in so_far.get("stages", ())]
