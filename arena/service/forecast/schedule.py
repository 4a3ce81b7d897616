"""The workload of a schedule: the shares of its entrants, and its blocks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from arena.tournaments.formats import NOTHING, SoFar, TournamentSpec, format_of


@dataclass(frozen=True)
class PlannedLoad:
    """The workload of a tournament or of its remainder."""

    matches: int
    shares: tuple[float, ...]  # of the matches in which each entrant has a seat; expected values
    blocks: int  # each starts after the last match of the previous block


def schedule(spec: TournamentSpec, matches: int, so_far: SoFar = NOTHING) -> PlannedLoad:
    """The workload of a checked tournament with `matches` matches, or with these left after
    `so_far`."""
    format_ = format_of(spec.format)
    blocks = max(1, format_.blocks_left(spec, matches, so_far))
    return PlannedLoad(matches, format_.shares(spec, so_far), blocks)


def without(plan: PlannedLoad, withdrawn: Collection[int]) -> PlannedLoad:
    """The plan without the shares of withdrawn entrants."""
    shares = [0.0 if one in withdrawn else share for one, share in enumerate(plan.shares)]
    return replace(plan, shares=tuple(shares))
