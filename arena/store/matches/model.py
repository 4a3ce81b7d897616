"""A finished match, as it is passed to the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.store.matches.outcomes import MatchOutcome


@dataclass(frozen=True, slots=True)
class FaultNote:
    """A fault in a match: its seat, decision, kind and reason, and the action played instead."""

    seat: int
    number: int
    kind: str
    reason: str
    instead: str


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A finished match; `players`, `points`, `ranks`, `faults`, `forfeited` are by seat.

    `faults` are counts. `log` is the packed log of `arena.games.packed_log`. `latencies` are its
    latency codes by seat, if they were measured. Times are Unix seconds.
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
        """The result for ratings."""
        return MatchOutcome(
            self.finished, self.players, self.points, self.ranks, self.faults, self.forfeited
        )


@dataclass(frozen=True, slots=True)
class Rated:
    """A match's place in its game's sequence; by seat, overall Elo before it and its change."""

    sequence: int
    before: tuple[float, ...]
    change: tuple[float, ...]
