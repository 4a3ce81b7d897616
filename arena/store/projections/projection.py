"""The common interface of projections.

Stored matches are facts. *Projections* are data computed from them (counters, Elo, sums) and
stored, so that no page has to read all matches. Each is updated in the transaction that stores new
matches, can be rebuilt from the stored matches, and can be compared with a rebuild.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlalchemy import Connection

from arena.store.matches.columns import MatchColumns, columns_of
from arena.store.matches.model import MatchOutcome, MatchResult, Rated
from arena.tournaments.ratings.deal_blocks import DealBlock


@dataclass(slots=True)
class Change:
    """The changes to a tournament in one transaction.

    `results` are the new matches by position. Matches are rated in scheduled order: `due` are the
    positions that can be rated now, with their outcomes, including matches that were stored earlier
    and had to wait. `cursor` is the first position that is still missing. `ratings` are the Elo
    changes of the positions in `due`. `deals` are the deals that are now complete.
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
        """The new matches as columns, in scheduled order, in which they are stored."""
        if self._columns is None:
            self._columns = columns_of(
                self.results[place].outcome for place in sorted(self.results)
            )
        return self._columns


class Projection(Protocol):
    """A statistic that is computed from stored matches.

    When the same matches would give other numbers, increase `version` and add a migration with a
    new number, which stops processes of older releases. The upgrade then rebuilds the projection.
    """

    @property
    def name(self) -> str:
        """One word, which never changes."""

    @property
    def version(self) -> int:
        """The version of the computation, from 1."""

    def apply(self, conn: Connection, change: Change) -> None:
        """Adds new matches. The caller holds the locks of the tournament and of the game."""

    def rebuild(self, conn: Connection, game: str) -> Sequence[str] | None:
        """Recomputes the data from all stored matches of a game. The caller holds the game's lock.
        Returns problems as sentences without a full stop."""

    def differences(self, conn: Connection, game: str) -> Iterator[str]:
        """Yields the differences from a rebuild, as sentences without a full stop."""


def differing(expected: Mapping[Any, object], actual: Mapping[Any, object]) -> int:
    """Number of keys with different values, or with a value in only one of them."""
    return sum(expected.get(key) != actual.get(key) for key in expected.keys() | actual.keys())
