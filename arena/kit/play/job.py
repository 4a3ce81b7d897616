"""What the processes that play are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from arena.kit.players import Player
from arena.match import MatchSetup, Seat
from arena.pairing import FromSecret, PlannedMatch

Keep = Literal["all", "faulty"]


@dataclass(frozen=True, slots=True)
class Job:
    """All that matches have in common. `keep` says whose records are wanted."""

    players: tuple[Player, ...]
    game: str
    seats: int
    options: Mapping[str, str]
    source: FromSecret
    keep: Keep
    move_ms: int | None = None
    jail: bool = False  # bots that are not the house's play in jails, by their own CPU time
    # By the folder of a bot that brings packages along: where it was built.
    built: Mapping[Path, Path] = field(default_factory=dict)

    def setup(self, planned: PlannedMatch) -> MatchSetup:
        """A planned match with its cards."""
        return MatchSetup(
            id=self.source.match_id(planned.position),
            game=self.game,
            seed=self.source.deal_seed(planned.deal),
            seats=tuple(Seat(self.players[entrant].name) for entrant in planned.seats),
            options=self.options,
        )
