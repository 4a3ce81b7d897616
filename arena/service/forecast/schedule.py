"""What of a schedule matters for its time: who sits how often, and how often all have to wait."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from arena.tournaments.formats import NOTHING, SoFar, TournamentSpec, format_of


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
    format_ = format_of(spec.format)
    blocks = max(1, format_.blocks_left(spec, matches, so_far))
    return PlannedLoad(matches, format_.shares(spec, so_far), blocks)


def without(plan: PlannedLoad, withdrawn: Collection[int]) -> PlannedLoad:
    """The same when these entrants play nothing of it any more."""
    shares = [0.0 if one in withdrawn else share for one, share in enumerate(plan.shares)]
    return replace(plan, shares=tuple(shares))
