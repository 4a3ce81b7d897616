"""Error rates and length of the sequential test.

Each run is a tournament of the format versus between two bots whose difference is known.
"""

from collections import Counter
from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from arena.tournaments.formats import TournamentSpec, check_spec, format_of
from arena.tournaments.formats.cycles import DUPLICATE, OWN
from arena.tournaments.formats.versus import Versus
from arena.tournaments.ratings.sprt import Hypotheses
from tests.lab.simulations.dealer import Dealer
from tests.lab.simulations.tournament import Progress, blocks, drawn_seed, generators, names, silent
from tests.lab.simulations.world import BotPopulation

BLOCK = 20  # matches played between two evaluations of the test


@dataclass(frozen=True, slots=True)
class VersusCase:
    """A test to simulate: candidate and baseline, `difference` Elo apart.

    With more than two seats, bots as strong as the baseline fill the others.
    """

    difference: float = 0.0
    seats: int = 2
    test: Hypotheses = field(default_factory=Hypotheses)
    max_deals: int = 10_000
    shared: bool = False  # whether both matches of a mirrored pair have the same cards

    @property
    def bots(self) -> int:
        """The number of bots: with fillers, one more than there are seats."""
        return self.seats + (self.seats > 2)

    @property
    def world(self) -> BotPopulation:
        """The candidate first; only differences matter."""
        return BotPopulation((self.difference,) + (0.0,) * (self.bots - 1))

    def spec(self, seed: int) -> TournamentSpec:
        """The tournament. Raises InvalidRequest for an invalid one."""
        numbers = {"elo0": self.test.elo0, "elo1": self.test.elo1}
        errors = {"alpha": self.test.alpha, "beta": self.test.beta}
        options = {"max_deals": self.max_deals, **numbers, **errors}
        sharing = {"deals": DUPLICATE if self.shared else OWN}
        spec = TournamentSpec(
            format="versus",
            seats=self.seats,
            bots=names(self.bots),
            matches=BLOCK,
            seed=seed,
            format_options={n: f"{value:.10g}" for n, value in options.items()} | sharing,
        )
        return check_spec(spec)


@dataclass(frozen=True, slots=True)
class Ends:
    """How the tests ended: the share of runs in each state, and their length.

    `error` is the standard error of `accepted`. `deals` and `matches` are mean numbers until the
    test ended, and `matches_error` is the standard error of the latter.
    """

    tried: VersusCase
    runs: int
    accepted: float
    rejected: float
    indistinguishable: float
    undecided: float
    error: float
    deals: float
    matches: float
    matches_error: float


def simulate(tried: VersusCase, runs: int, seed: int, progress: Progress = silent) -> Ends:
    """Plays the test `runs` times. The same seed gives the same numbers."""
    world = tried.world
    states: Counter[str] = Counter()
    deals: list[int] = []
    for done, chance in enumerate(generators(seed, runs), 1):
        state, tested = _play(tried.spec(drawn_seed(chance)), Dealer(world, chance))
        states[state] += 1
        deals.append(tested)
        progress(done)
    each = format_of("versus").matches_per_deal(tried.spec(seed))
    accepted = states["accepted"] / runs
    return Ends(
        tried,
        runs,
        accepted,
        states["rejected"] / runs,
        states["indistinguishable"] / runs,
        states["running"] / runs,
        sqrt(accepted * (1.0 - accepted) / runs),
        float(np.mean(deals)),
        float(np.mean(deals)) * each,
        float(np.std(deals)) * each / sqrt(runs),
    )


def _play(spec: TournamentSpec, dealer: Dealer) -> tuple[str, int]:
    """The final state of a test, and the number of deals it used."""
    format_ = format_of(spec.format)
    assert isinstance(format_, Versus)
    for block in blocks(spec, format_, dealer):
        verdict = format_.verdict(spec, block.so_far)
    return verdict.state, verdict.deals
