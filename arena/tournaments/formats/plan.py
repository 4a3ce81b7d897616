"""What every tournament format speaks: planned matches, and the verbs that plan them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from arena.games.rules.options import Option
from arena.tournaments.formats import siblings
from arena.tournaments.formats.cycles import cycles, shares_deals
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.ratings.sprt import Verdict

# What a format keeps of the matches played, as JSON has it; empty before the first block.
SoFar: TypeAlias = Mapping[str, Any]
NOTHING: SoFar = {}

SCORE = "Score is the share of opponents finished ahead of, a tie counting half"
BLOCK = 512  # matches in a block, about: whole cycles


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match to be played.

    `position` counts a tournament's matches from 0 in scheduled order and names the match.
    `deal` numbers the cards: matches with one deal number have the same cards. `seats` are
    entrant numbers (places in the spec's `bots`, from 0) by seat.
    """

    position: int
    deal: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A planned match with its outcome: points, ranks from 1, and forfeits, by seat. `luck` is that
    of its pairs of seats, in units of `arena.tournaments.ratings.match_luck`: empty where it is
    not known, or does not count."""

    match: PlannedMatch
    points: tuple[int, ...]
    ranks: tuple[int, ...]
    forfeited: tuple[bool, ...]
    luck: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """What a format adds to an entrant's line of the standings.

    Standings are ordered by `first`, then by score (more is better), by `then`, by mean points
    and by name; of `first` and `then` less is better.
    """

    first: float = 0.0
    then: float = 0.0


class Format(ABC):
    """How a tournament is planned, block by block.

    A block is the unit in which matches are planned, handed to workers and stored; it has
    whole cycles (see `arena.tournaments.formats.cycles`), each with `cycle_length` matches: one
    for every rotation of the seats, unless the format says otherwise. Whoever carries a tournament
    on asks for `block(spec, number, so_far)` with number 0, 1, 2, ... until it gets an empty block.

    Where `needs_results` is false, the blocks follow from the spec alone and may be asked for in
    any order and at any time, without `so_far`. Where it is true (knockout, Swiss, sequential
    test, ladder), a block may be asked for only when all blocks before it are finished, and
    `so_far` is what folding them one after the other gave:

        so_far = NOTHING
        while block := format.block(spec, number, so_far):
            so_far = format.fold(spec, so_far, [play(match) for match in block])
            number += 1

    The same spec and results give the same blocks. What is folded is small, so that neither
    planning nor keeping it gets dearer with the matches played.
    """

    title: ClassVar[str]
    about: ClassVar[str]  # a sentence for the list of formats
    options: ClassVar[Mapping[str, Option]] = {}
    roles: ClassVar[tuple[str, ...]] = ()  # of the first bots entered, such as "Candidate"
    standings_order: ClassVar[str] = f"{SCORE}; equal scores are ordered by mean points."
    matches_scope: ClassVar[str] = "for each table"  # of `matches` and `deals` of a spec
    needs_results: ClassVar[bool] = False
    takes_new: ClassVar[bool] = False  # whether bots may enter while it is played
    ends_early: ClassVar[bool] = False  # whether results may end it before all matches are played
    evens_out: ClassVar[bool] = True  # whether bots that have played less play more later
    # Whether it stops playing pairs whose order seems clear, so that 95% intervals cover less.
    stops_at_clear_pairs: ClassVar[bool] = False
    eliminates: ClassVar[bool] = False  # whether bots drop out round by round: pages draw a bracket

    @property
    def takes_sign_up(self) -> bool:
        """Whether every author may enter a bot before the start: where no bot has a role."""
        return not self.roles

    def takes_luck_out(self, spec: TournamentSpec) -> bool:
        """Whether the luck of matches has to be known before results are folded."""
        return False

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest for a spec, its options complete, that cannot be played."""
        return

    @abstractmethod
    def count(self, spec: TournamentSpec) -> int:
        """How many matches are planned in all; the most there can be if results decide."""

    def cycle_length(self, spec: TournamentSpec) -> int:
        """How many matches a cycle has; the same for all cycles of a tournament."""
        return spec.seats

    def matches_each(self, spec: TournamentSpec) -> int:
        """How many matches are played in `matches_scope`, whether their deals are shared or not."""
        return spec.matches or spec.deals * self.cycle_length(spec)

    def matches_per_deal(self, spec: TournamentSpec) -> int:
        """How many matches make a deal whole: it counts, and may be shown, when all are stored.

        It is the same for all deals of a tournament, which keeps it from the beginning: one, or
        where deals are shared a cycle.
        """
        return self.cycle_length(spec) if shares_deals(spec) else 1

    def fixed(self, spec: TournamentSpec) -> Collection[int]:
        """Entrants that keep their seat in all matches of a shared deal. To them its matches are
        much the same, so they do not tell what playing it more than once saves."""
        return ()

    @abstractmethod
    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """The matches of one block in scheduled order; empty when there are no more."""

    def likely_end(self, spec: TournamentSpec, so_far: SoFar) -> int | None:
        """After how many matches in all results are likely to end it, if they go on as so far; None
        where they do not end it, or too little is known."""
        return None

    def fold(self, spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]) -> SoFar:
        """`so_far` with a finished block, all its matches in scheduled order, taken in."""
        return so_far

    def places(self, spec: TournamentSpec, so_far: SoFar) -> tuple[Place, ...]:
        """By entrant, what decides the order of the standings besides score; empty: nothing."""
        return ()

    def verdict(self, spec: TournamentSpec, so_far: SoFar) -> Verdict | None:
        """Where the sequential test stands, if the format is one."""
        return None

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """What there is to say of the schedule and of where it is, in sentences."""
        return ()

    def preview(self, spec: TournamentSpec) -> str:
        """Who will meet whom, and how often, in a sentence."""
        return " ".join(self.remarks(spec, NOTHING)).removeprefix("Schedule: ")

    def shares(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> tuple[float, ...]:
        """By entrant, in which share of the matches left it has a seat, on average."""
        return seat_shares(spec)

    def blocks_left(self, spec: TournamentSpec, matches: int, so_far: SoFar = NOTHING) -> int:
        """In how many blocks, which wait for one another, the remaining `matches` are played."""
        length = self.cycle_length(spec)
        return -(-matches // (cycles(spec, length) * length)) if self.needs_results else 1

    def siblings_meet(self, spec: TournamentSpec) -> str:
        """Where bots of one author do or may meet, in a sentence; "" where they never do."""
        return siblings.meet(spec, range(len(spec.bots)))


def seat_shares(
    spec: TournamentSpec, always: Collection[int] = (), may: Collection[int] | None = None
) -> tuple[float, ...]:
    """By entrant, in which share of matches it has a seat: 1 for `always`, and the other seats are
    shared equally by those who `may` play (by default all)."""
    entrants = range(len(spec.bots))
    others = set(entrants if may is None else may) - set(always)
    each = min((spec.seats - len(always)) / max(len(others), 1), 1.0)
    return tuple(1.0 if one in always else each if one in others else 0.0 for one in entrants)
