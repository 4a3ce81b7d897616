"""Planned matches, and the interface of tournament formats."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from arena.games.rules.options import Option
from arena.tournaments.formats import siblings
from arena.tournaments.formats.cycles import cycles, shares_deals
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.ratings.sprt import Verdict

# State that a format keeps about played matches, as JSON. Empty before the first block.
SoFar: TypeAlias = Mapping[str, Any]
NOTHING: SoFar = {}

SCORE = "Score is the share of opponents finished ahead of, a tie counting half"
BLOCK = 512  # approximate matches in a block, which has whole cycles


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match to be played.

    `position` numbers a tournament's matches from 0 in scheduled order. `deal` numbers the cards:
    matches with the same deal number have the same cards. `seats` holds entrant numbers (places
    in the spec's `bots`, from 0) by seat.
    """

    position: int
    deal: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A planned match with its outcome by seat: penalty points, ranks from 1, and forfeits.

    `luck` holds the luck of each pair of seats, in units of
    `arena.tournaments.ratings.match_luck`. It is empty if unknown or not used.
    """

    match: PlannedMatch
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    forfeited: tuple[bool, ...]
    luck: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """An entrant's sort keys in the standings, in addition to its score.

    Standings are ordered by `first` (less is better), bots with matches before those without,
    score (more is better), `then` (less is better), mean penalty points, and name.
    """

    first: float = 0.0
    then: float = 0.0


class Format(ABC):
    """A tournament format: plans a tournament block by block.

    Matches are planned, sent to workers and stored in blocks. A block has whole cycles (see
    `arena.tournaments.formats.cycles`) of `cycle_length` matches each, by default one for every
    rotation of the seats. Callers request `block(spec, number, so_far)` with number 0, 1, 2, ...
    until a block is empty.

    If `needs_results` is false, blocks depend on the spec alone. They may be requested in any
    order, without `so_far`. If it is true (knockout, Swiss, versus, ladder), a block may be
    requested only after all earlier blocks are finished, and `so_far` is their state, folded in
    order:

        so_far = NOTHING
        while block := format.block(spec, number, so_far):
            so_far = format.fold(spec, so_far, [play(match) for match in block])
            number += 1

    The same spec and results give the same blocks. The state stays small, so that planning does
    not slow down as matches are played.
    """

    title: ClassVar[str]
    about: ClassVar[str]  # one sentence for the list of formats
    options: ClassVar[Mapping[str, Option]] = {}
    roles: ClassVar[tuple[str, ...]] = ()  # of the first bots entered, such as "Candidate"
    standings_order: ClassVar[str] = f"{SCORE}; equal scores are ordered by mean points."
    matches_scope: ClassVar[str] = "for each table"  # scope of the spec's `matches` and `deals`
    needs_results: ClassVar[bool] = False
    takes_new: ClassVar[bool] = False  # whether bots may enter while it runs
    ends_early: ClassVar[bool] = False  # whether results may end it before all matches are played
    evens_out: ClassVar[bool] = True  # whether bots that have played less play more later
    # Whether it stops playing pairs whose order seems clear. Their 95% intervals then cover less.
    stops_at_clear_pairs: ClassVar[bool] = False
    eliminates: ClassVar[bool] = False  # whether bots drop out by round; pages draw a bracket

    @property
    def takes_sign_up(self) -> bool:
        """Whether authors may enter bots before the start. False if the first bots have roles."""
        return not self.roles

    def takes_luck_out(self, spec: TournamentSpec) -> bool:
        """Whether the luck of matches must be known before results are folded."""
        return False

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest if a spec with complete options cannot be played."""
        return

    @abstractmethod
    def count(self, spec: TournamentSpec) -> int:
        """Returns the number of matches, or the maximum if results decide."""

    def cycle_length(self, spec: TournamentSpec) -> int:
        """Returns the number of matches in a cycle, the same for all cycles of a tournament."""
        return spec.seats

    def matches_each(self, spec: TournamentSpec) -> int:
        """Returns the number of matches in `matches_scope`, with shared or separate deals."""
        return spec.matches or spec.deals * self.cycle_length(spec)

    def matches_per_deal(self, spec: TournamentSpec) -> int:
        """Returns the number of matches that complete a deal.

        A deal counts, and may be shown, once all of them are stored. The number is the same for
        all deals: 1, or with shared deals the length of a cycle. The tournament stores it.
        """
        return self.cycle_length(spec) if shares_deals(spec) else 1

    def fixed(self, spec: TournamentSpec) -> Collection[int]:
        """Returns the entrants that keep their seat in all matches of a shared deal. These matches
        are nearly identical to them, so they are left out when estimating duplicate savings."""
        return ()

    @abstractmethod
    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """Returns the matches of a block in scheduled order; empty after the last."""

    def likely_end(self, spec: TournamentSpec, so_far: SoFar) -> int | None:
        """Returns the estimated total of matches at which results end the tournament, or None if
        results do not end it or too little is known."""
        return None

    def fold(self, spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]) -> SoFar:
        """Returns `so_far` updated with a finished block, all its matches in scheduled order."""
        return so_far

    def places(self, spec: TournamentSpec, so_far: SoFar) -> tuple[Place, ...]:
        """Returns sort keys by entrant, in addition to score; empty for none."""
        return ()

    def verdict(self, spec: TournamentSpec, so_far: SoFar) -> Verdict | None:
        """Returns the state of the sequential test, if the format is one."""
        return None

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """Returns sentences that describe the schedule and its progress."""
        return ()

    def preview(self, spec: TournamentSpec) -> str:
        """Returns a sentence about who will meet, and how often."""
        return " ".join(self.remarks(spec, NOTHING)).removeprefix("Schedule: ")

    def shares(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> tuple[float, ...]:
        """Returns by entrant its expected share of the remaining matches."""
        return seat_shares(spec)

    def blocks_left(self, spec: TournamentSpec, matches: int, so_far: SoFar = NOTHING) -> int:
        """Returns the number of consecutive blocks in which the remaining `matches` are played."""
        length = self.cycle_length(spec)
        return -(-matches // (cycles(spec, length) * length)) if self.needs_results else 1

    def siblings_meet(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> str:
        """Returns a sentence about where bots of the same owner (may) meet; "" if never."""
        return siblings.meet(spec, range(len(spec.bots)))


def seat_shares(
    spec: TournamentSpec, always: Collection[int] = (), may: Collection[int] | None = None
) -> tuple[float, ...]:
    """Returns by entrant its share of matches. It is 1 for `always`; entrants in `may` (default:
    all) share the other seats equally."""
    entrants = range(len(spec.bots))
    others = set(entrants if may is None else may) - set(always)
    each = min((spec.seats - len(always)) / max(len(others), 1), 1.0)
    return tuple(1.0 if one in always else each if one in others else 0.0 for one in entrants)
