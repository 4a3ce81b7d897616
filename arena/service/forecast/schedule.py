"""What of a schedule matters for its time: who sits how often, and how often all have to wait."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from arena.tournaments.formats import NOTHING, SoFar, TournamentSpec, format_of
from arena.tournaments.formats.cycles import cycles
from arena.tournaments.formats.knockout import stages_in_all, survivors
from arena.tournaments.formats.ladder import tables_in_block
from arena.tournaments.formats.stages import stages_of
from arena.tournaments.formats.swiss import rounds


@dataclass(frozen=True)
class PlannedLoad:
    """So many matches; by entrant, in which share of them it has a seat, on average where results
    decide. `blocks` are played one after the other: each waits for the last match of the one
    before."""

    matches: int
    shares: tuple[float, ...]
    blocks: int


def schedule(spec: TournamentSpec, matches: int, so_far: SoFar = NOTHING) -> PlannedLoad:
    """Of a checked tournament that has so many matches, or has them left after what `so_far`
    tells."""
    return PlannedLoad(matches, _shares(spec, so_far), max(1, _blocks(spec, matches, so_far)))


def without(plan: PlannedLoad, withdrawn: Collection[int]) -> PlannedLoad:
    """The same when these entrants play nothing of it any more."""
    shares = [0.0 if one in withdrawn else share for one, share in enumerate(plan.shares)]
    return replace(plan, shares=tuple(shares))


def ends_early(spec: TournamentSpec) -> bool:
    """Whether results may end it before all its matches are played."""
    return spec.format in ("versus", "ladder")


def shares_alike(spec: TournamentSpec) -> bool:
    """Whether everybody who has had less of their share gets the more of what is left. Where
    results say who goes on playing they do not."""
    return spec.format not in ("knockout", "ladder")


def _shares(spec: TournamentSpec, so_far: SoFar) -> tuple[float, ...]:
    """Certain seats first, the others shared alike among those who may get them."""
    entrants = range(len(spec.bots))
    always: set[int] = set()
    may = set(entrants)
    if spec.format == "gauntlet":
        always = {0}
    elif spec.format == "versus":
        always = {0, 1}
    elif spec.format == "knockout" and stages_of(so_far):
        may = set(survivors(spec, stages_of(so_far)))
    elif spec.format == "ladder":  # of a bot's versions the last one plays
        may = set({name.lower(): entrant for entrant, name in enumerate(spec.bots)}.values())
    others = may - always
    each = (spec.seats - len(always)) / max(len(others), 1)
    return tuple(
        1.0 if entrant in always else min(each, 1.0) if entrant in others else 0.0
        for entrant in entrants
    )


def _blocks(spec: TournamentSpec, matches: int, so_far: SoFar) -> int:
    format_ = format_of(spec.format)
    if not format_.needs_results:
        return 1
    if spec.format == "swiss":
        return rounds(spec) - len(stages_of(so_far))
    if spec.format == "knockout":
        return stages_in_all(spec) - len(stages_of(so_far))
    if spec.format == "ladder":
        return -(-matches // (tables_in_block(spec) * cycles(spec) * spec.seats))
    length = format_.cycle_length(spec)
    return -(-matches // (cycles(spec, length) * length))
