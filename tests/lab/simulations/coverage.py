"""Coverage of the 95% intervals.

Each run is a round-robin or a ladder, rated like a real one. The intervals are those of the
difference of two bots' ratings; the truth is the difference that the same rating gives when
every pair scores exactly its expected score.

With a luck model the tournament is rated a second time by luck-adjusted scores, to check that
their narrower intervals hold as well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt

import numpy as np

from arena.tournaments.formats import Played, TournamentSpec, check_spec, format_of
from arena.tournaments.formats.cycles import DUPLICATE, OWN
from arena.tournaments.ratings.bradley_terry import ELO, Fit, fit
from arena.tournaments.ratings.coefficient import FOLDS, parts_of
from arena.tournaments.ratings.deal_sums import Integers, SeatResults
from arena.tournaments.ratings.match_luck import GAME
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.solve import strengths
from tests.lab.simulations.dealer import Dealer
from tests.lab.simulations.tournament import (
    Progress,
    blocks,
    drawn_seed,
    generators,
    names,
    results,
    silent,
    together,
)
from tests.lab.simulations.world import BotPopulation, Floats
from tests.tallies import AdjustedTally, DealTally


@dataclass(frozen=True, slots=True)
class CoverageCase:
    """A tournament to simulate many times: bots spread evenly over `spread` Elo.

    In a round-robin each table plays `cycles` cycles, so every bot has every seat that often. A
    ladder plays as many matches, but chooses its tables by the results so far. With `shared` each
    deal is played from every seat; otherwise every match has its own deal.

    `luck` is the most that the luck model values the cards of a pair, as a score: .3 is close to
    the truth, 0 means without a model. A `wrong_model` sees unrelated cards.
    """

    bots: int = 8
    seats: int = 4
    cycles: int = 4
    spread: float = 300.0
    format: str = "round-robin"
    shared: bool = False
    luck: float = 0.0
    wrong_model: bool = False

    @property
    def world(self) -> BotPopulation:
        """The bots, weakest first."""
        return BotPopulation(
            tuple(np.linspace(-self.spread / 2, self.spread / 2, self.bots).tolist())
        )

    def spec(self, seed: int) -> TournamentSpec:
        """The tournament. Raises InvalidRequest for an invalid one."""
        bots = names(self.bots)
        sharing = {"deals": DUPLICATE if self.shared else OWN}
        spec = check_spec(
            TournamentSpec(
                seats=self.seats,
                bots=bots,
                matches=self.cycles * self.seats,
                seed=seed,
                format_options=sharing,
            )
        )
        if self.format == spec.format:
            return spec
        options = {"matches": str(format_of(spec.format).count(spec)), **sharing}
        once = replace(spec, format=self.format, deals=0, matches=self.seats)
        return check_spec(replace(once, format_options=options))


@dataclass(frozen=True, slots=True)
class Share:
    """How often the interval contained the truth, and the standard error of that over runs.

    `width` is the mean half-width of the intervals, in Elo.
    """

    inside: float
    error: float
    width: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """The result with deals as the unit, as the arena computes it, with matches as the unit, and
    with luck-adjusted scores (None without a model)."""

    tried: CoverageCase
    runs: int
    deals: int
    matches: int
    by_deal: Share
    by_match: Share
    less_luck: Share | None = None


def simulate(tried: CoverageCase, runs: int, seed: int, progress: Progress = silent) -> Coverage:
    """Plays the tournament `runs` times. The same seed gives the same numbers."""
    world = tried.world
    units: list[tuple[float, float]] = []
    matches: list[tuple[float, float]] = []
    less_luck: list[tuple[float, float]] = []
    for done, chance in enumerate(generators(seed, runs), 1):
        dealer = Dealer(world, chance)
        played = play(tried.spec(drawn_seed(chance)), dealer)
        deals = [results(deal) for deal in played]
        units.append(_inside(rate(deals), world))
        matches.append(_inside(rate([match] for deal in deals for match in deal), world))
        if tried.luck:
            less_luck.append(_inside(rate_less_luck(tried, played, dealer), world))
        progress(done)
    return Coverage(
        tried,
        runs,
        len(deals),
        sum(map(len, deals)),
        _share(units),
        _share(matches),
        _share(less_luck) if less_luck else None,
    )


def play(spec: TournamentSpec, dealer: Dealer) -> list[list[Played]]:
    """All matches of a tournament, by deal."""
    played_blocks = blocks(spec, format_of(spec.format), dealer)
    return together(one for block in played_blocks for one in block.played)


def rate(deals: Iterable[Sequence[SeatResults]]) -> Fit:
    """The rating of these deals, without an anchor."""
    tally = DealTally()
    for matches in deals:
        tally.add(matches)
    return fit(tally.groups())


def rate_less_luck(tried: CoverageCase, deals: Iterable[Sequence[Played]], dealer: Dealer) -> Fit:
    """The same by luck-adjusted scores."""
    tally, plain = AdjustedTally(), DealTally()
    for deal in deals:
        matches = results(deal)
        number = deal[0].match.deal
        part = int(parts_of(0, np.array([number]))[0])
        tally.add(matches, [luck_of(tried, dealer.cards(number))] * len(deal), part % FOLDS)
        plain.add(matches)
    return fit(tally.less_luck().groups, plain=plain.groups())


def luck_of(tried: CoverageCase, cards: Floats) -> Integers:
    """Return the luck of each pair of seats (n(n-1)/2,) by the model, in units of `match_luck`, for
    the values (n,) of the cards of a deal. All seats draw from one distribution, so its mean is
    0."""
    seen = cards
    if tried.wrong_model:
        seen = np.random.default_rng(cards.view(np.uint64)).normal(size=len(cards))
    apart = [seen[one] - seen[other] for one, other in combinations(range(len(seen)), 2)]
    return np.rint(tried.luck * np.tanh(np.array(apart) / 2) * GAME).astype(np.int64)


def _inside(rated: Fit, world: BotPopulation) -> tuple[float, float]:
    """The share of pairs whose interval contains the truth, and the mean half-width."""
    pairs = np.triu_indices(len(rated.players), 1)
    off = (_differences(rated.ratings) - truth(rated, world))[pairs]
    half = Z95 * rated.difference_error[pairs]
    return float((np.abs(off) <= half).mean()), float(half.mean())


def truth(rated: Fit, world: BotPopulation) -> Floats:
    """R_i - R_j (N, N) in Elo, as this schedule would give it without any luck."""
    played = np.array(rated.players)
    games = rated.wins + rated.wins.T
    return _differences(ELO * strengths(games * world.scores[np.ix_(played, played)]))


def _differences(ratings: Floats) -> Floats:
    return np.asarray(ratings[:, None] - ratings[None, :])


def _share(runs: Sequence[tuple[float, float]]) -> Share:
    inside, widths = np.array(runs).T
    spread = float(inside.std(ddof=1)) if len(runs) > 1 else 0.0
    return Share(float(inside.mean()), spread / sqrt(len(runs)), float(widths.mean()))
