"""Ratings that do not depend on the order of matches, with error bars computed over what is
independent: the match, or the deal where several matches share one (`sandwich`).

Every pair at a table is a game of its own (a tie is half a win for either), weighted 1/(n-1)
in a match of n seats, as in the live Elo. Bradley-Terry strengths r are found at which every
bot scores what was to be expected: at them the net Elo update over all matches is zero.

    R_i          = 1500 + 400/ln 10 (r_i - r_anchor)
    Var(R_i-R_j) = C_ii + C_jj - 2 C_ij                     C: see `sandwich`

    tally = Tally()                                         (deal_sums)
    tally.add([Table(players, points, forfeited), ...])     once for every deal, all its matches
    table = fit(tally.groups(), anchor=player)

Sources: Bradley and Terry 1952; Cattelan 2012 (arXiv:1210.1016) on clustered pairwise data;
Cameron and Miller 2015 on clustered errors; Bell and McCaffrey 2002 on few clusters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from arena.tournaments.ratings.deal_sums import DealGroup, Integers
from arena.tournaments.ratings.elo import START
from arena.tournaments.ratings.games import deals_together, wins_by_seats
from arena.tournaments.ratings.normal import Z95
from arena.tournaments.ratings.sandwich import errors
from arena.tournaments.ratings.solve import Floats, expected, strengths, with_ghost
from arena.tournaments.ratings.together import critical

ELO = 400 / log(10)  # Elo for a factor e in the odds
PROVISIONAL = 50  # fewer deals say little about the error itself
UPSETS = 10.0  # with fewer to be expected, too much hangs on each for a ± that is symmetric
FARTHEST = 12.0  # natural-log strength, some 2,000 Elo: more only if there is no solution
PRIOR = 0.5  # precision of what then holds strengths together
SURE = 1e-6  # nothing that follows from luck is surer than this


@dataclass(frozen=True)
class Fit:
    """The ratings of P players, whose ids are ascending in `players`; arrays in this order.

    `strengths` (P + 1,) are natural-log strengths, the last the ghost's (see `solve`).
    `ratings` (P,) are in Elo, `covariance` (P, P) in Elo^2, of the numbers as they are shown:
    with an anchor, whose rating is 1500 by definition and has no error; without, the mean of
    all is 1500. `wins` (P, P) are weighted wins W, `expected` (P, P) the score from 0 to 1
    that i is to expect against j, `deals` (P, P) the deals in which two met, and on the
    diagonal those in which one played. `total` counts all deals. `connected` (P,) says who
    belongs to the largest set of players between whom wins lead both ways (of equally large
    ones, to that of the anchor; without one, to none). `scatter` (P, P) is the covariance of
    the strengths that the scatter of results accounts for, without the ghost's part.
    """

    players: tuple[int, ...]
    anchor: int | None
    strengths: Floats
    ratings: Floats
    covariance: Floats
    wins: Floats
    expected: Floats
    deals: Integers
    total: int
    connected: tuple[bool, ...]
    scatter: Floats

    def index(self, player: int) -> int:
        """The place of a player in the arrays. Raises KeyError for one without a deal."""
        return self._places[player]

    def __contains__(self, player: object) -> bool:
        return player in self._places

    @cached_property
    def _places(self) -> dict[int, int]:
        return {player: place for place, player in enumerate(self.players)}

    @cached_property
    def plus_minus(self) -> Floats:
        """Half the width of each rating's 95% interval, Elo (P,)."""
        return np.asarray(Z95 * np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    @cached_property
    def difference_error(self) -> Floats:
        """Standard error of R_i - R_j, Elo (P, P)."""
        own = np.diag(self.covariance)
        variance = own[:, None] + own[None, :] - 2 * self.covariance
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)))

    @cached_property
    def stronger(self) -> Floats:
        """The probability that i is stronger than j (P, P), 1/2 on the diagonal; never 0 or 1.

        Of each pair by itself: see `apart` for all at once.
        """
        # scipy.special would do, but importing it takes longer than this.
        from math import erfc

        z = self.distance.ravel() / 2**0.5
        probability = np.array([erfc(-value) / 2 for value in z]).reshape(self.distance.shape)
        return np.asarray(np.clip(probability, SURE, 1.0 - SURE))

    @cached_property
    def apart(self) -> NDArray[np.bool_]:
        """Who is stronger or weaker than whom (P, P), so that in 95 of 100 tables all of these
        are right at once, and not each by itself (see `together`)."""
        return np.asarray(np.abs(self.distance) > critical(len(self.players)))

    @cached_property
    def upsets(self) -> Floats:
        """In how many of its matches each player (P,) is to expect what ratings do not: to beat
        the stronger or lose to the weaker. A pair counts 1/(n-1) of a match."""
        games = self.wins + self.wins.T
        upset = np.minimum(self.expected, self.expected.T)
        return np.asarray((games * upset).sum(axis=1), dtype=np.float64)

    @cached_property
    def distance(self) -> Floats:
        """R_i - R_j in standard errors (P, P)."""
        difference = self.ratings[:, None] - self.ratings[None, :]
        error = self.difference_error
        return np.divide(difference, error, out=np.zeros_like(error), where=error > 0)

    @cached_property
    def provisional(self) -> tuple[bool, ...]:
        """Whose ± is rough (P,): fewer than 50 deals, or fewer than 10 upsets to be expected."""
        few = (np.diag(self.deals) < PROVISIONAL) | (self.upsets < UPSETS)
        return tuple(bool(each) for each in few)

    def rank_ranges(
        self, shown: Sequence[int] | None = None, *, together: bool = False
    ) -> dict[int, tuple[int, int]]:
        """For each of these players (all by default) the best and the worst rank it may have.

        The best is one more than those who are surely stronger, the worst leaves those behind
        who are surely weaker; only players shown count. Surely is by the 95% interval of each
        difference. So a bot's own range holds in more than 95 of 100 tables, but those of all
        bots at once do not: of forty, in about 70 (docs/ratings.md). With `together` they do.
        """
        rows = [self.index(player) for player in (self.players if shown is None else shown)]
        distance = self.distance[np.ix_(rows, rows)]
        least = critical(len(rows)) if together else Z95
        better, worse = (distance < -least).sum(axis=1), (distance > least).sum(axis=1)
        return {
            self.players[row]: (int(better[k]) + 1, len(rows) - int(worse[k]))
            for k, row in enumerate(rows)
        }


def fit(
    groups: Sequence[DealGroup],
    anchor: int | None = None,
    plain: Sequence[DealGroup] | None = None,
) -> Fit:
    """Rates the players of all deals. An anchor that did not play is no anchor. Where luck is taken
    out of the scores, `plain` are the same deals with what was played: who is connected with whom
    follows from wins.

    Always finite: also for no deals at all, for players who never met and for bots that lost
    every match.
    """
    players = _players(groups)
    if anchor is not None and anchor not in players:
        anchor = None
    by_seats = wins_by_seats(groups, players)
    won = _total(by_seats, len(players))
    strength = _strengths(won, plain is not None) if len(players) else np.zeros(1)
    deals = deals_together(groups, players)
    spread = errors(groups, players, by_seats, strength, np.diag(deals))
    base = np.full(len(players), 1.0 / max(len(players), 1))
    if anchor is not None:
        base = np.asarray(players == anchor, dtype=np.float64)
    own = strength[:-1]
    # The numbers shown are differences to the base: x -> x - base·x.
    shift = np.eye(len(players)) - base[None, :]
    return Fit(
        players=tuple(int(player) for player in players),
        anchor=anchor,
        strengths=strength,
        ratings=START + ELO * (own - base @ own),
        covariance=ELO**2 * (shift @ spread.whole @ shift.T),
        wins=won,
        expected=expected(own),
        deals=deals,
        total=sum(int(group.deals.sum()) for group in groups),
        connected=_connected(won if plain is None else _won(plain, players), players, anchor),
        scatter=spread.results,
    )


def _total(by_seats: Mapping[int, Floats], players: int) -> Floats:
    return sum(by_seats.values(), np.zeros((players, players)))


def _won(groups: Sequence[DealGroup], players: Integers) -> Floats:
    return _total(wins_by_seats(groups, players), len(players))


def _strengths(won: Floats, adjusted: bool) -> Floats:
    """Natural-log strengths, the ghost's last."""
    if not adjusted:
        return strengths(with_ghost(won))
    try:
        found = strengths(with_ghost(won))
    except np.linalg.LinAlgError:
        found = np.full(len(won) + 1, np.inf)
    if np.abs(found).max() < FARTHEST:
        return found
    # Luck taken out of few games: several bots together have less than nothing.
    return strengths(with_ghost(won), prior=PRIOR)


def _players(groups: Sequence[DealGroup]) -> Integers:
    ids = [group.players.ravel() for group in groups]
    # Faster than sorting them: ids are small numbers.
    return np.flatnonzero(np.bincount(np.concatenate(ids))) if ids else np.zeros(0, dtype=np.int64)


def _connected(won: Floats, players: Integers, anchor: int | None) -> tuple[bool, ...]:
    sets = components(won)
    largest = [members for members in sets if len(members) == len(sets[0])]
    if len(largest) > 1:
        home = [members for members in largest if anchor in players[members]]
    else:
        home = largest
    inside = set(home[0]) if home else set()
    return tuple(place in inside for place in range(len(players)))


def components(wins: Floats) -> list[list[int]]:
    """The sets of players between whom wins (P, P) lead both ways, largest first.

    Within such a set all differences are finite without the ghost. A tie is half a win for
    either. Who only ever lost, or only won, is a set by themselves.
    """
    forth = _reachable(wins > 0)
    both = forth & forth.T
    left = set(range(len(wins)))
    sets: list[list[int]] = []
    while left:
        first = min(left)
        members = [int(member) for member in np.flatnonzero(both[first])]
        sets.append(members)
        left.difference_update(members)
    return sorted(sets, key=lambda members: (-len(members), members[0]))


def _reachable(step: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """From each player, who is reached by any number of steps, themselves included."""
    size = len(step)
    paths = step | np.eye(size, dtype=bool)
    length = 1
    while length < size:
        # In single precision the counts of paths are inexact, but never wrongly zero.
        paths = paths.astype(np.float32) @ paths.astype(np.float32) > 0
        length *= 2
    return paths
