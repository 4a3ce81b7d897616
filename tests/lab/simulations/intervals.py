"""Checks the figures of a leaderboard: intervals, residuals, rank ranges and marks.

A case is a world of bots, a schedule and a number of matches per bot. Ratings are the arena's
own; only the schedule is simpler than a tournament's, so that very many can be simulated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

from arena.tournaments.ratings.bradley_terry import Fit, components, fit
from arena.tournaments.ratings.deal_sums import Integers
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.residuals import residuals
from tests.lab.simulations.coverage import truth
from tests.lab.simulations.draws import draw
from tests.lab.simulations.schedules import Tables, balanced
from tests.lab.simulations.tournament import Progress, generators, silent
from tests.lab.simulations.world import STEP, BotPopulation, Floats

Schedule = Callable[[int, int, int, np.random.Generator], Tables]


@dataclass(frozen=True, slots=True)
class Case:
    """A case: `bots` bots spread evenly over `spread` Elo, except that the last may be
    `far` Elo from the middle; at tables of `seats`, with `matches` matches per bot. With `shared`
    that is the number of deals instead, each played from all seats. `step`: see `BotPopulation`;
    `advantage`: that of the first seat over the last, in Elo."""

    name: str
    seats: int
    matches: int
    bots: int = 8
    spread: float = 300.0
    far: float | None = None
    shared: bool = False
    step: float = STEP
    advantage: float = 0.0
    schedule: Schedule = balanced

    def world(self, chance: np.random.Generator) -> BotPopulation:
        """The bots. If there are only two, their distance is random, up to the spread."""
        elo = np.linspace(-self.spread / 2, self.spread / 2, self.bots)
        if self.bots == 2:
            elo = elo * chance.uniform(-1.0, 1.0)
        if self.far is not None:
            elo[-1] = self.far
        seats = np.linspace(self.advantage / 2, -self.advantage / 2, self.seats)
        return _population(tuple(elo.tolist()), tuple(seats.tolist()), self.step)

    @property
    def matches_of_a_deal(self) -> int:
        """The matches played on each deal: one, unless deals are shared."""
        return self.seats if self.shared else 1


@dataclass(frozen=True, slots=True)
class IntervalCoverage:
    """The result; shares are of all pairs, over runs.

    inside, error    how often the 95% interval of a difference contained the truth; the standard
                     error of that
    width            mean half-width of the intervals, Elo
    unmarked         the share `inside` among pairs in which neither bot is provisional or
                     disconnected; None if there are none
    marked           the share of bots that are provisional or disconnected
    spread, beyond   of the residuals of pairs that met: their standard deviation, which
                     should be 1, and the share beyond 1.96, which should be .05; None if no
                     pair has one; only pairs with the far bot in cases that have one
    judged           the share of those pairs that have a residual
    upsets           expected upsets of the far bot, or the last one, in all its matches
    ranges, together how often the ranges contained every bot's true rank: ranges for each bot by
                     itself, and simultaneous ranges
    """

    case: Case
    runs: int
    inside: float
    error: float
    width: float
    unmarked: float | None
    marked: float
    spread: float | None
    beyond: float | None
    judged: float
    upsets: float
    ranges: float
    together: float


@dataclass(frozen=True, slots=True)
class _Run:
    """One leaderboard: for pairs i < j whether the interval contained the truth, its half-width,
    whether one of the two is marked, and the residuals."""

    inside: Floats
    width: float
    marked: Floats
    flagged: float
    residuals: Floats  # NaN where there is none
    upsets: float
    ranges: bool
    together: bool


def simulate(case: Case, runs: int, seed: int, progress: Progress = silent) -> IntervalCoverage:
    """Plays and rates the case `runs` times. The same seed gives the same numbers."""
    results = []
    for done, chance in enumerate(generators(seed, runs), 1):
        results.append(_play(case, chance))
        progress(done)
    inside = np.array([run.inside.mean() for run in results])
    marked = np.concatenate([run.marked for run in results])
    every = np.concatenate([run.inside for run in results])
    every_pair = np.concatenate([run.residuals for run in results])
    off = every_pair[~np.isnan(every_pair)]
    return IntervalCoverage(
        case,
        runs,
        float(inside.mean()),
        float(inside.std(ddof=1)) / sqrt(runs) if runs > 1 else 0.0,
        float(np.mean([run.width for run in results])),
        float(every[marked == 0].mean()) if (marked == 0).any() else None,
        float(np.mean([run.flagged for run in results])),
        float(np.sqrt((off**2).mean())) if len(off) else None,
        float((np.abs(off) > Z95).mean()) if len(off) else None,
        len(off) / max(len(every_pair), 1),
        float(np.mean([run.upsets for run in results])),
        float(np.mean([run.ranges for run in results])),
        float(np.mean([run.together for run in results])),
    )


@lru_cache(maxsize=8)  # the same in all runs of most cases
def _population(elo: tuple[float, ...], advantage: tuple[float, ...], step: float) -> BotPopulation:
    return BotPopulation(elo, advantage=advantage, step=step)


def _play(case: Case, chance: np.random.Generator) -> _Run:
    world = case.world(chance)
    tables = _schedule(case, chance)
    groups = [draw(world, tables, case.matches_of_a_deal, chance)]
    table = fit(groups)
    true, pairs = truth(table, world), np.triu_indices(len(table.players), 1)
    flagged = np.array(table.provisional) | ~np.array(table.connected)
    differences = table.ratings[:, None] - table.ratings[None, :]
    half = Z95 * table.difference_error[pairs]
    return _Run(
        (np.abs(differences - true)[pairs] <= half).astype(np.float64),
        float(half.mean()),
        (flagged[pairs[0]] | flagged[pairs[1]]).astype(np.float64),
        float(flagged.mean()),
        _judged_residuals(case, table, residuals(table, groups)[pairs], pairs),
        float(table.upsets[-1]),
        *(_hold(table, true, together) for together in (False, True)),
    )


def _schedule(case: Case, chance: np.random.Generator) -> Tables:
    """Tables that link all bots; differences between bots that are not linked are undefined."""
    while True:
        tables = case.schedule(case.bots, case.seats, case.matches, chance)
        met = np.zeros((case.bots, case.bots))
        for seat in range(1, case.seats):
            met[tables[:, 0], tables[:, seat]] = met[tables[:, seat], tables[:, 0]] = 1.0
        if len(components(met)) == 1:
            return tables


def _judged_residuals(
    case: Case, table: Fit, standard: Floats, pairs: tuple[Integers, ...]
) -> Floats:
    """The residuals of pairs that met; NaN where there is none."""
    counts = table.deals[pairs[0], pairs[1]] > 0
    if case.far is not None:
        counts &= pairs[1] == len(table.players) - 1
    return np.asarray(standard[counts])


def _hold(table: Fit, true: Floats, together: bool) -> bool:
    """Whether the range of every bot contains its true rank."""
    ranks = 1 + (true < -1e-9).sum(axis=1)
    ranges = table.rank_ranges(together=together)
    return all(
        ranges[player][0] <= rank <= ranges[player][1]
        for player, rank in zip(table.players, ranks.tolist(), strict=True)
    )
