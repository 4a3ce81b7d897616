"""Tournaments in stages: each stage's tables depend on the results of earlier stages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence

from arena.tournaments.formats.cycles import cycles
from arena.tournaments.formats.plan import NOTHING, Format, Place, PlannedMatch, Played, SoFar
from arena.tournaments.formats.results import TableResult, tables_of
from arena.tournaments.formats.rotations import block_of
from arena.tournaments.formats.spec import TournamentSpec

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
    """Returns the finished stages."""
    return [[TableResult.read(table) for table in stage] for stage in so_far.get("stages", ())]
