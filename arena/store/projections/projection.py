"""What all projections have in common.

Stored matches are facts. Everything else that is known of them (counters, Elo, sums) follows from
them, and is kept so that no page has to read all matches: these are *projections*. Each is brought
up to date in the transaction that stores new matches, can be rebuilt from the stored ones, and can
be compared with what a rebuild would give.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sqlalchemy import Connection

from arena.store.matches.columns import MatchColumns, columns_of
from arena.store.matches.model import MatchResult, Rated
from arena.store.matches.outcomes import MatchOutcome
from arena.tournaments.ratings.deal_blocks import DealBlock


@dataclass(slots=True)
class Change:
    """What one transaction stores of one tournament.

    `results` are the new matches by position. Matches are rated in scheduled order: `due` are the
    positions whose turn has come, each with its outcome, among them matches that were stored
    earlier and had to wait; `cursor` is the first position that is still to come. `ratings` is
    what Elo makes of those in `due`. `deals` are the deals that are complete now.
    """

    tournament: int
    game: str
    results: Mapping[int, MatchResult]
    due: Mapping[int, MatchOutcome] = field(default_factory=dict)
    cursor: int = 0
    ratings: Mapping[int, Rated] = field(default_factory=dict)
    deals: Sequence[DealBlock] = ()
    _columns: MatchColumns | None = None

    @property
    def columns(self) -> MatchColumns:
        """The new matches as columns, in scheduled order, which they are stored in."""
        if self._columns is None:
            self._columns = columns_of(
                self.results[place].outcome for place in sorted(self.results)
            )
        return self._columns


class Projection(Protocol):
    """A statistic that follows from stored matches.

    When the same matches would give other numbers, `version` goes up, and a migration with a new
    number is added, which makes processes of older releases stop; the upgrade then rebuilds this
    projection by itself.
    """

    @property
    def name(self) -> str:
        """One word, the same for ever."""

    @property
    def version(self) -> int:
        """Of what is counted, from 1."""

    def apply(self, conn: Connection, change: Change) -> None:
        """Takes new matches in. The caller holds the locks of the tournament and of the game."""

    def rebuild(self, conn: Connection, game: str) -> Sequence[str] | None:
        """Makes it again from all stored matches of a game. The caller holds the game's lock. What
        could not be made right it says in sentences without a full stop."""

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """What differs from a rebuild, in sentences without a full stop; changes nothing."""
