"""What the processes that play are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from arena.games.match import MatchSetup, Seat
from arena.kit.play.patience import START_S
from arena.kit.players import Player
from arena.tournaments.formats import FromSecret, PlannedMatch


@dataclass(frozen=True, slots=True)
class Portion:
    """Matches that a process plays with bots made anew.

    `unanswered` has decisions at which a bot's process was ended in an earlier attempt, by the
    position of the match: entrant and number of the decision.
    """

    matches: tuple[PlannedMatch, ...]
    unanswered: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)


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
    start_s: float = START_S
    sandbox: bool = False  # bots that are not the house's play in sandboxes, by their own CPU time
    # By the folder of a bot that brings packages along: where it was built.
    built: Mapping[Path, Path] = field(default_factory=dict)

    @property
    def together(self) -> bool:
        """Whether a process may play several matches at once: all players are programs, or house
        bots, which remember nothing."""
        return all(player.program or player.house for player in self.players) and any(
            player.program for player in self.players
        )

    def setup(self, planned: PlannedMatch) -> MatchSetup:
        """A planned match with its cards."""
        return MatchSetup(
            id=self.source.match_id(planned.position),
            game=self.game,
            seed=self.source.deal_seed(planned.deal),
            seats=tuple(Seat(self.players[entrant].name) for entrant in planned.seats),
            options=self.options,
        )
