"""A finished match as it is handed to the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.store.matches.outcomes import MatchOutcome


@dataclass(frozen=True, slots=True)
class FaultNote:
    """One fault in a match: whose, at which decision, why, and what was played instead."""

    seat: int
    number: int
    kind: str
    reason: str
    instead: str


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A finished match; `players`, `points`, `ranks`, `faults`, `forfeited` are by seat.

    `faults` are counts; `log` is the packed log of `arena.games.record`, and `latencies` its
    latency codes by seat, where they were measured; times are Unix seconds.
    """

    id: str
    tournament: int
    batch: int
    position: int
    deal: int
    game: str
    ruleset: str
    options: Mapping[str, str]
    seed: bytes
    players: tuple[int, ...]
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[int, ...]
    forfeited: tuple[bool, ...]
    log: bytes
    started: float
    finished: float
    notes: tuple[FaultNote, ...] = ()
    latencies: tuple[bytes, ...] = ()

    @property
    def outcome(self) -> MatchOutcome:
        """What the match means for ratings."""
        return MatchOutcome(
            self.finished, self.players, self.points, self.ranks, self.faults, self.forfeited
        )


@dataclass(frozen=True, slots=True)
class Rated:
    """A match's place in its game's sequence; by seat, Elo before it and change (overall)."""

    sequence: int
    before: tuple[float, ...]
    change: tuple[float, ...]
