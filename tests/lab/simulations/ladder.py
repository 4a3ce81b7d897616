"""Matches until all neighbours are separated: the ladder against random pairing.

Both pair the same bots, whose gaps are uneven as in real leaderboards, at tables of the same
size, and both are rated by the same rating with error bars. Two neighbours in true strength are
separated when the 95% interval of their difference is on the right side of zero.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from arena.tournaments.formats import (
    Format,
    PlannedMatch,
    Played,
    TournamentSpec,
    check_spec,
    format_of,
)
from arena.tournaments.formats.plan import NOTHING, SoFar
from arena.tournaments.formats.rotations import block_of
from arena.tournaments.ratings.bradley_terry import fit
from arena.tournaments.ratings.normal import Z95
from tests.lab.simulations.dealer import Dealer
from tests.lab.simulations.tournament import (
    Progress,
    blocks,
    by_deal,
    drawn_seed,
    generators,
    names,
    silent,
)
from tests.lab.simulations.world import BotPopulation
from tests.tallies import DealTally

LOOK = 1.03  # check again when the number of matches has grown by this factor


@dataclass(frozen=True, slots=True)
class LadderCase:
    """The bots: the gaps between neighbours range geometrically from `least` to `most` Elo, in a
    random order in every run. `limit` is the most matches of a run."""

    bots: int = 10
    seats: int = 4
    least: float = 20.0
    most: float = 120.0
    limit: int = 50_000

    def world(self, chance: np.random.Generator) -> BotPopulation:
        """Entrants in random order, so that their numbers carry no information."""
        gaps = chance.permutation(np.geomspace(self.least, self.most, self.bots - 1))
        elo = np.concatenate([[0.0], np.cumsum(gaps)])
        return BotPopulation(tuple(chance.permutation(elo - elo.mean()).tolist()))

    def spec(self, seed: int) -> TournamentSpec:
        """The ladder; at each table every bot has every seat once. Raises InvalidRequest for an
        invalid one."""
        spec = TournamentSpec(
            format="ladder",
            seats=self.seats,
            bots=names(self.bots),
            seed=seed,
            matches=self.seats,
            format_options={"matches": str(self.limit)},
        )
        return check_spec(spec)


class RandomTables(Format):
    """Blocks as large as the ladder's, with tables drawn regardless of results."""

    needs_results: ClassVar = False

    def __init__(self, chance: np.random.Generator, tables: int) -> None:
        self._chance = chance
        self._tables = tables

    def count(self, spec: TournamentSpec) -> int:
        """As many matches as the ladder may have."""
        return int(spec.format_options["matches"])

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """Draws the next block; call it once per block, in order."""
        first = number * self._tables
        if first * spec.seats >= self.count(spec):
            return ()
        bots = len(spec.bots)
        tables: list[Any] = [
            sorted(self._chance.choice(bots, spec.seats, replace=False).tolist())
            for _ in range(self._tables)
        ]
        return block_of(spec, number, first, tables)


@dataclass(frozen=True, slots=True)
class Needed:
    """The matches one pairing method needed: mean over runs, its standard error, median.

    A run that reached the limit counts as that many matches; `unfinished` is the number of these.
    """

    mean: float
    error: float
    median: float
    unfinished: int


@dataclass(frozen=True, slots=True)
class Race:
    """The result. `ratio` is the ladder's matches divided by those of random pairing, as a
    geometric mean over runs; its 95% interval is from `low` to `high`."""

    tried: LadderCase
    runs: int
    ladder: Needed
    random: Needed
    ratio: float
    low: float
    high: float


def simulate(tried: LadderCase, runs: int, seed: int, progress: Progress = silent) -> Race:
    """Runs both methods on the same bots, `runs` times. The same seed gives the same numbers."""
    ladder: list[int] = []
    random: list[int] = []
    for done, chance in enumerate(generators(seed, runs), 1):
        world, spec = tried.world(chance), tried.spec(drawn_seed(chance))
        tables = len(format_of("ladder").block(spec, 0)) // spec.seats
        ladder.append(separate(spec, format_of("ladder"), world, chance))
        random.append(separate(spec, RandomTables(chance, tables), world, chance))
        progress(done)
    return _race(tried, ladder, random)


def separate(
    spec: TournamentSpec, format_: Format, world: BotPopulation, chance: np.random.Generator
) -> int:
    """The number of matches until all neighbours were separated, or until the limit."""
    tally, matches, look = DealTally(), 0, 0.0
    for played in _played(spec, format_, world, chance):
        for deal in by_deal(played):
            tally.add(deal)
        matches += len(played)
        if matches >= look:
            look = matches * LOOK
            if separated(tally, world):
                break
    return matches


def separated(tally: DealTally, world: BotPopulation) -> bool:
    """Whether the 95% interval of every two neighbours' difference is on the right side of 0."""
    rated = fit(tally.groups())
    if len(rated.players) < len(world.elo):
        return False
    weakest_first = np.argsort(world.strengths)
    distance = rated.distance[weakest_first[1:], weakest_first[:-1]]
    return bool((distance > Z95).all())


def _played(
    spec: TournamentSpec, format_: Format, world: BotPopulation, chance: np.random.Generator
) -> Iterator[Sequence[Played]]:
    return (block.played for block in blocks(spec, format_, Dealer(world, chance)))


def _race(tried: LadderCase, ladder: Sequence[int], random: Sequence[int]) -> Race:
    logs = np.log(ladder) - np.log(random)
    half = Z95 * _error(logs)
    middle = float(logs.mean())
    return Race(
        tried,
        len(ladder),
        _summary(tried, ladder),
        _summary(tried, random),
        float(np.exp(middle)),
        float(np.exp(middle - half)),
        float(np.exp(middle + half)),
    )


def _summary(tried: LadderCase, matches: Sequence[int]) -> Needed:
    counts = np.array(matches, dtype=np.float64)
    unfinished = sum(count > tried.limit - tried.seats for count in matches)
    return Needed(float(counts.mean()), _error(counts), float(np.median(counts)), unfinished)


def _error(values: np.ndarray) -> float:
    """Standard error of the mean; 0 for a single value."""
    return float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0
