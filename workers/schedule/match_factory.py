"""Creates matches from planned ones: their seats and deals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.games.match import MatchSetup, Seat
from arena.tournaments.formats import FromSecret, PlannedMatch, TournamentSpec


@dataclass(frozen=True, slots=True)
class MatchFactory:
    """The data from which a tournament's matches are derived."""

    spec: TournamentSpec
    players: tuple[int, ...]  # by entrant number
    bots: Mapping[int, Seat]  # by player
    source: FromSecret  # of cards and match ids
    hosted: frozenset[int] = frozenset()  # players that hosts have to connect, at the start
    group: int = 0  # of all its matches; see arena.v1.Decision

    def players_of(self, planned: PlannedMatch) -> tuple[int, ...]:
        """The players of a match, by seat."""
        return tuple([self.players[entrant] for entrant in planned.seats])

    def setup(self, planned: PlannedMatch, ruleset: str = "") -> MatchSetup:
        """The setup of a match, under the game's newest ruleset unless one is given."""
        return MatchSetup(
            id=self.source.match_id(planned.position),
            game=self.spec.game,
            seed=self.source.deal_seed(planned.deal),
            seats=tuple([self.bots[player] for player in self.players_of(planned)]),
            options=self.spec.options,
            fault_limit=self.spec.fault_limit,
            ruleset=ruleset,
        )
