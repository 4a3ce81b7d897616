"""A leaderboard in sentences: the leader, open comparisons, and the matches needed to settle them.

A bot is called stronger if all such statements in the table are right at once in 95 of 100 tables
(`arena.tournaments.ratings.together`). The error of a difference is proportional to 1/√matches.
If a difference of d standard errors needs z of them, it takes (z / d)² times as many matches.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from arena.base.text import plural
from arena.store.reports.leaderboard import Rating
from arena.tournaments.ratings.bradley_terry import Fit
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.together import critical

LOOKED_AT = 10  # first lines of the table
OPEN = 3  # open comparisons to mention: those nearest to being settled
MOST_TIMES = 30.0  # maximum factor of matches for which a number is given


@dataclass(frozen=True)
class Comparison:
    """Two neighbours of a leaderboard.

    `above` is ahead by `ahead` ± `plus_minus` points of rating, which is `distance` standard
    errors; `needed` would settle it. `matches` is the larger of their numbers of matches.
    """

    above: str
    below: str
    ahead: float
    plus_minus: float
    distance: float
    needed: float
    matches: int

    @property
    def settled(self) -> bool:
        """Whether the bot above is stronger, with 95% confidence for all pairs at once."""
        return self.distance > self.needed

    @property
    def more(self) -> int | None:
        """The additional matches of each to settle an unchanged difference, to two digits. None if
        that would be more than MOST_TIMES as many as so far."""
        if self.distance <= 0 or (self.needed / self.distance) ** 2 > MOST_TIMES:
            return None
        return _two_digits(self.matches * ((self.needed / self.distance) ** 2 - 1))

    @property
    def sentence(self) -> str:
        apart = f"{self.ahead:.0f} ± {self.plus_minus:.0f} rating points"
        if self.settled:
            return f"{self.above} is stronger than {self.below}: {apart} ahead."
        more = plural(self.more or 0, "more match", "more matches")
        would = f"; about {more} each would settle it" if self.more else ""
        if self.distance > Z95:
            return f"{self.above} is probably stronger than {self.below} ({apart}){would}."
        would = f"; about {more} each would" if self.more else ""
        return f"{self.above} and {self.below} cannot be told apart yet ({apart}){would}."


def takeaways(fit: Fit, lines: Sequence[Rating]) -> list[str]:
    """Return sentences about the leader and the nearest open comparisons of `lines`, best first."""
    rated = [line for line in lines if line.player in fit][:LOOKED_AT]
    if len(rated) < 2:
        return []
    lead, *others = [_compared(fit, *two) for two in itertools.pairwise(rated)]
    open_ = [one for one in others if not one.settled]
    nearest = sorted(open_, key=lambda one: one.more or float("inf"))[:OPEN]
    return [one.sentence for one in (lead, *(one for one in others if one in nearest))]


def _compared(fit: Fit, one: Rating, other: Rating) -> Comparison:
    i, j = fit.index(one.player), fit.index(other.player)
    return Comparison(
        above=_name(one),
        below=_name(other),
        ahead=float(fit.ratings[i] - fit.ratings[j]),
        plus_minus=float(Z95 * fit.difference_error[i, j]),
        distance=float(fit.distance[i, j]),
        needed=critical(len(fit.players)),
        matches=max(one.matches, other.matches),
    )


def _name(line: Rating) -> str:
    return line.bot if line.version == "1" else f"{line.bot} v{line.version}"


def _two_digits(number: float) -> int:
    step = 10 ** max(floor(log10(max(number, 1.0))) - 1, 0)
    return int(-(-number // step) * step)
