"""The work of the processes that play."""

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
    """Matches that a process plays with new bots.

    `unanswered` maps the position of a match to the decisions (entrant, number) at which a bot's
    process was ended in an earlier attempt.
    """

    matches: tuple[PlannedMatch, ...]
    unanswered: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)


Keep = Literal["all", "faulty"]


@dataclass(frozen=True, slots=True)
class Job:
    """Settings shared by all matches. `keep` selects the records to keep."""

    players: tuple[Player, ...]
    game: str
    seats: int
    options: Mapping[str, str]
    source: FromSecret
    keep: Keep
    move_ms: int | None = None
    start_s: float = START_S
    sandbox: bool = False  # all but house bots play in sandboxes, limited by CPU time
    built: Mapping[Path, Path] = field(default_factory=dict)  # build artifact, by bot folder

    @property
    def together(self) -> bool:
        """Whether a process may play several matches at once: all players are programs or
        (stateless) house bots."""
        return all(player.program or player.house for player in self.players) and any(
            player.program for player in self.players
        )

    def setup(self, planned: PlannedMatch) -> MatchSetup:
        """Return the setup of a planned match."""
        return MatchSetup(
            id=self.source.match_id(planned.position),
            game=self.game,
            seed=self.source.deal_seed(planned.deal),
            seats=tuple(Seat(self.players[entrant].name) for entrant in planned.seats),
            options=self.options,
        )
