"""The finished rounds of a knockout or a Swiss tournament, table by table."""

from __future__ import annotations

from dataclasses import dataclass

from arena.tournaments.formats import SoFar, TournamentSpec, format_of
from arena.tournaments.formats.results import TableResult
from arena.tournaments.formats.seeding import seeded
from arena.tournaments.formats.stages import Staged, stages_of


@dataclass(frozen=True)
class TableSeat:
    """A bot's result at its table: `score` from 0 to 1, points per match, whether it advanced."""

    bot: str
    score: float
    mean_points: float
    through: bool


@dataclass(frozen=True)
class FinishedRound:
    """A finished round: its number from 1, its tables, each with the best first, and the bots that
    had a bye."""

    number: int
    tables: list[list[TableSeat]]
    byes: list[str]


def rounds(spec: TournamentSpec, so_far: SoFar) -> list[FinishedRound]:
    """Return the finished rounds, newest first; none in formats without rounds."""
    format_ = format_of(spec.format)
    if not isinstance(format_, Staged):
        return []
    stages = stages_of(so_far)
    seed = {entrant: place for place, entrant in enumerate(seeded(spec))}
    finished = []
    for number, stage in enumerate(stages, 1):
        still_in = set(format_.still_in(spec, stages[:number]))
        seated = {entrant for table in stage for entrant in table.entrants}
        byes = set(format_.still_in(spec, stages[: number - 1])) - seated
        tables = sorted(stage, key=lambda table: min(seed[each] for each in table.entrants))
        finished.append(
            FinishedRound(
                number,
                [_seats(spec, table, seed, still_in) for table in tables],
                [spec.bots[entrant] for entrant in sorted(byes, key=seed.__getitem__)],
            )
        )
    return finished[::-1]


def _seats(
    spec: TournamentSpec, table: TableResult, seed: dict[int, int], still_in: set[int]
) -> list[TableSeat]:
    return [
        TableSeat(
            bot=spec.bots[table.entrants[at]],
            score=table.halves[at] / table.most,
            mean_points=table.points[at] / table.matches,
            through=table.entrants[at] in still_in,
        )
        for at in table.ranking(seed)
    ]
