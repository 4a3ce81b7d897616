"""The evidence of a versus, as sums, so that evaluated deals need not be kept.

A deal in which candidate or baseline forfeited says nothing about strength, because an absent bot
loses to all others. Dropping such deals would let a bot forfeit unfavourable ones. Counting them
as losses would accept every candidate against an absent baseline. So each such deal counts against
both verdicts, as the best possible result for the other hypothesis. A decision then holds for
every possible outcome of these deals. If they are more than one in twenty, and at least three,
the test ends undecided and names the bots that forfeited. Forfeits of the field do not matter,
because they affect candidate and baseline equally.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from arena.tournaments.formats.plan import Played, SoFar
from arena.tournaments.ratings.elo import score
from arena.tournaments.ratings.luck_units import GAME, HALF, MOST
from arena.tournaments.ratings.sprt import Evidence, Hypotheses, State, judge

CANDIDATE, BASELINE = 0, 1  # entrants
FORFEITS = 3  # the test ends after this many deals with a forfeit, if their share exceeds
FORFEITS_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Known:
    """Sums over the deals of a test.

    `tested` deals had no forfeit. `total` and `squares` sum the candidate's lead (wins minus
    losses) in them and its square. They are exact: whole numbers, or multiples of 1/1024 in the
    `lucky` luck-adjusted deals. `spoiled` deals had a forfeit; `forfeits` counts them for
    candidate and baseline. For `better` and `worse`, see `Evidence`.
    """

    matches_per_deal: int
    tested: int = 0
    total: float = 0
    squares: float = 0
    better: float = 0.0
    worse: float = 0.0
    forfeits: Sequence[int] = (0, 0)
    spoiled: int = 0
    state: State = "running"
    lucky: int = 0

    @classmethod
    def read(cls, so_far: SoFar, matches_per_deal: int) -> Known:
        """Reads the stored state; empty before the first block."""
        return cls(matches_per_deal, **{name: so_far[name] for name in STORED if name in so_far})

    def stored(self) -> SoFar:
        """Returns the state to store."""
        known = {name: getattr(self, name) for name in STORED} | {"forfeits": list(self.forfeits)}
        return known if self.lucky else {k: v for k, v in known.items() if k != "lucky"}

    @property
    def evidence(self) -> Evidence:
        """Evidence for the sequential test. A deal of m matches scores 1/2 + lead / 2m."""
        whole = 2 * self.matches_per_deal
        return Evidence(
            self.tested, self.total / whole, self.squares / whole**2, self.better, self.worse
        )

    @property
    def given_up(self) -> bool:
        """Whether there are too many forfeits for a verdict on strength."""
        share = self.spoiled / max(self.tested + self.spoiled, 1)
        return self.spoiled >= FORFEITS and share > FORFEITS_SHARE

    def with_deal(self, deal: Sequence[Played], test: Hypotheses) -> Known:
        """Returns the evidence with another deal, given all its matches."""
        known, evidence = self, self.evidence
        lucky = any(one.luck for one in deal)
        beyond = MOST / GAME if lucky else 0.0
        out = [any(_forfeits(one, bot) for one in deal) for bot in (CANDIDATE, BASELINE)]
        if any(out):
            evidence = evidence.forfeit(test, beyond)
            forfeits = [count + more for count, more in zip(known.forfeits, out, strict=True)]
            known = replace(known, forfeits=forfeits, spoiled=known.spoiled + 1)
        else:
            lead = sum(map(_lead, deal))
            evidence = evidence.add(0.5 + lead / (2 * self.matches_per_deal), test, beyond)
            known = replace(
                known,
                tested=known.tested + 1,
                total=known.total + lead,
                squares=known.squares + lead**2,
                lucky=known.lucky + lucky,
            )
        state = "undecided" if known.given_up else judge(evidence, test).state
        return replace(known, better=evidence.better, worse=evidence.worse, state=state)


STORED = tuple([name for name in Known.__slots__ if name != "matches_per_deal"])


def _lead(one: Played) -> float:
    """Returns the candidate's lead over the baseline in a match: 1 ahead, 0 equal, -1 behind, minus
    the part that luck contributed."""
    places = list(zip(one.forfeited, one.points, strict=True))
    seats = one.match.seats
    own, other = seats.index(CANDIDATE), seats.index(BASELINE)
    lead = int(2 * score(places[own], places[other])) - 1
    if not one.luck:
        return lead
    pairs = list(combinations(range(len(seats)), 2))
    units = one.luck[pairs.index((min(own, other), max(own, other)))]
    return lead - (units if own < other else -units) / HALF


def _forfeits(one: Played, bot: int) -> bool:
    return one.forfeited[one.match.seats.index(bot)]
