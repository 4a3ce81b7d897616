"""What the test of a versus keeps of the deals it has looked at, so that no deal has to be kept.

A deal in which candidate or baseline forfeited, for whatever reason, says nothing of strength: a
bot that is not there loses to everybody. Leaving such deals out would let a bot forfeit those it
does not like, and counting them as lost would accept every candidate against a baseline that is
away. So each counts against both verdicts, as if it had been the best that could have happened to
the other hypothesis: a decision then holds whatever these deals would have been. When they are
more than one in twenty, and three at least, the test ends undecided and says who forfeited. (What
the field forfeits does not matter: candidate and baseline meet it alike.)
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
FORFEITS = 3  # so many deals with a forfeit, and more than this share of all, end the test
FORFEITS_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Known:
    """`tested` deals nobody forfeited. Over them, `total` and `squares` are the sums of the
    candidate's lead (wins minus losses) and of its square: whole numbers, or in `lucky` of them,
    with luck taken out, multiples of 1/1024, so they are exact. `spoiled` deals were forfeited,
    `forfeits` of them by the candidate and by the baseline. For `better` and `worse` see Evidence.
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
        """What was stored; nothing before the first block."""
        return cls(matches_per_deal, **{name: so_far[name] for name in STORED if name in so_far})

    def stored(self) -> SoFar:
        """What is to be stored."""
        known = {name: getattr(self, name) for name in STORED} | {"forfeits": list(self.forfeits)}
        return known if self.lucky else {k: v for k, v in known.items() if k != "lucky"}

    @property
    def evidence(self) -> Evidence:
        """For the sequential test: with m matches to a deal its score is 1/2 + lead / 2m."""
        whole = 2 * self.matches_per_deal
        return Evidence(
            self.tested,
            self.total / whole,
            self.squares / whole**2,
            self.better,
            self.worse,
        )

    @property
    def given_up(self) -> bool:
        """Whether there are too many forfeits for a verdict on strength."""
        share = self.spoiled / max(self.tested + self.spoiled, 1)
        return self.spoiled >= FORFEITS and share > FORFEITS_SHARE

    def with_deal(self, deal: Sequence[Played], test: Hypotheses) -> Known:
        """The same after one deal more, of which all matches are given."""
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
    """The candidate against the baseline in one match: 1 ahead, 0 equal, -1 behind; less what luck
    gave it."""
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
