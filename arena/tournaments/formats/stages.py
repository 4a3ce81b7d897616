"""Tournaments in stages: a stage's tables follow from the results of the stages before."""

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
    """A block is a stage; of each one the results by table are kept."""

    needs_results = True

    @abstractmethod
    def draw(self, spec: TournamentSpec, so_far: SoFar) -> list[list[int]]:
        """The tables of the next stage, entrants by table; empty after the last."""

    def standings(self, spec: TournamentSpec, stages: Sequence[Stage]) -> tuple[Place, ...]:
        """By entrant, what decides the standings besides score."""
        return ()

    def still_in(self, spec: TournamentSpec, stages: Sequence[Stage]) -> Collection[int]:
        """The entrants who go on after these stages; none where none drop out."""
        return ()

    @abstractmethod
    def stages_in_all(self, spec: TournamentSpec) -> int:
        """How many stages there are."""

    def blocks_left(self, spec: TournamentSpec, matches: int, so_far: SoFar = NOTHING) -> int:
        """The stages that are left."""
        return self.stages_in_all(spec) - len(stages_of(so_far))

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """The next stage, every table with its cycles."""
        stages = stages_of(so_far)
        matches = sum(table.matches for stage in stages for table in stage)
        played = matches // self.cycle_length(spec)
        tables = self.draw(spec, so_far)
        return block_of(spec, number, played, tables * cycles(spec))

    def fold(self, spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]) -> SoFar:
        """With one stage more."""
        stage = [table.as_json() for table in tables_of(played)]
        return {"stages": [*so_far.get("stages", ()), stage]}

    def places(self, spec: TournamentSpec, so_far: SoFar) -> tuple[Place, ...]:
        """What the finished stages decide."""
        return self.standings(spec, stages_of(so_far))


def stages_of(so_far: SoFar) -> list[Stage]:
    """The stages that are finished."""
    return [[TableResult.read(table) for table in stage] for stage in so_far.get("stages", ())]
