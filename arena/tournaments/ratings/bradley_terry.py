"""Ratings that do not depend on the order of matches, with error bars over independent units: the
match, or the deal if several matches share one (`sandwich`).

Every pair at a table counts as a game (a tie is half a win for each), weighted 1/(n-1) in a match
of n seats, as in the live Elo. The Bradley-Terry strengths r are those at which every bot's
expected score equals its actual score, so the net Elo update over all matches is zero.

    R_i          = 1500 + 400/ln 10 (r_i - r_anchor)
    Var(R_i-R_j) = C_ii + C_jj - 2 C_ij                     C: see `sandwich`

    table = fit(groups, anchor=player)                      groups: see `deal_sums`

Sources: Bradley and Terry 1952; Cattelan 2012 (arXiv:1210.1016) on clustered pairwise data;
Cameron and Miller 2015 on clustered errors; Bell and McCaffrey 2002 on few clusters.
"""

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
from arena.tournaments.ratings.solve import Floats, expected, strengths, with_pseudo_opponent
from arena.tournaments.ratings.together import critical

ELO = 400 / log(10)  # Elo for a factor e in the odds
PROVISIONAL = 50  # deals below which the error itself is poorly known
UPSETS = 10.0  # expected upsets below which the distribution is too skewed for a symmetric ±
FARTHEST = 12.0  # natural-log strength, about 2,000 Elo; larger values mean there is no solution
PRIOR = 0.5  # precision of the prior that then bounds strengths
SURE = 1e-6  # closest that a probability of being stronger comes to 0 or 1


@dataclass(frozen=True)
class Fit:
    """The ratings of P players. All arrays follow `players`, whose ids are ascending.

    - `strengths` (P + 1,): natural-log strengths; the pseudo-opponent's is last (see `solve`).
    - `ratings` (P,): Elo. The anchor has exactly 1500; without an anchor, the mean is 1500.
    - `covariance` (P, P): of `ratings`, Elo^2. The anchor has no error.
    - `wins` (P, P): weighted wins W of i against j.
    - `expected` (P, P): expected score of i against j, from 0 to 1.
    - `deals` (P, P): deals in which two met; on the diagonal, deals in which one played.
    - `total`: all deals.
    - `connected` (P,): whether a player is in the largest set linked by wins in both directions.
      Of equally large sets, the anchor's counts; without an anchor, none does.
    - `scatter` (P, P): covariance of the strengths from the scatter of results alone, without
      the contribution of the pseudo-opponent.
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
        """Returns the index of a player in the arrays. Raises KeyError if it has no deal."""
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
        """The probability that i is stronger than j (P, P); 1/2 on the diagonal, never 0 or 1. Each
        pair is judged separately; see `apart` for simultaneous comparisons."""
        # Importing scipy.special would take longer than this computation.
        from math import erfc

        z = self.distance.ravel() / 2**0.5
        probability = np.array([erfc(-value) / 2 for value in z]).reshape(self.distance.shape)
        return np.asarray(np.clip(probability, SURE, 1.0 - SURE))

    @cached_property
    def apart(self) -> NDArray[np.bool_]:
        """Whether the order of i and j is clear (P, P), at a simultaneous confidence of 95%: in 95
        of 100 tables, all such orders are right (see `together`)."""
        return np.asarray(np.abs(self.distance) > critical(len(self.players)))

    @cached_property
    def upsets(self) -> Floats:
        """Expected upsets of each player (P,): wins against stronger players or losses to weaker
        ones. A pair counts 1/(n-1) of a match."""
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
        """Whether the ± is rough (P,): fewer than 50 deals or fewer than 10 expected upsets."""
        few = (np.diag(self.deals) < PROVISIONAL) | (self.upsets < UPSETS)
        return tuple(bool(each) for each in few)

    def rank_ranges(
        self, shown: Sequence[int] | None = None, *, together: bool = False
    ) -> dict[int, tuple[int, int]]:
        """Returns the best and worst possible rank of each of these players (default: all).

        Ranks count the players shown. A player is ahead of another if the 95% interval of their
        difference excludes 0. This is a pairwise criterion: for many bots, some range is often
        wrong. With `together`, all ranges hold at once in 95 of 100 tables (docs/ratings.md).
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
    groups: Sequence[DealGroup], anchor: int | None = None, plain: Sequence[DealGroup] | None = None
) -> Fit:
    """Rates the players of all deals. An anchor that did not play is ignored. If `groups` have
    luck-adjusted scores, `plain` are the same deals unadjusted, from which connections are found.

    The result is always finite, even without deals, for players that never met, and for bots
    that lost every match.
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
    # Shown numbers are differences to the base: x -> x - base·x.
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
    """Returns natural-log strengths, the pseudo-opponent's last."""
    if not adjusted:
        return strengths(with_pseudo_opponent(won))
    try:
        found = strengths(with_pseudo_opponent(won))
    except np.linalg.LinAlgError:
        found = np.full(len(won) + 1, np.inf)
    if np.abs(found).max() < FARTHEST:
        return found
    # With few games, luck-adjusted scores of several bots together can be negative.
    return strengths(with_pseudo_opponent(won), prior=PRIOR)


def _players(groups: Sequence[DealGroup]) -> Integers:
    ids = [group.players.ravel() for group in groups]
    # Faster than sorting, because ids are small numbers.
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
    """Returns the sets of players linked by wins (P, P) in both directions, largest first.

    Within a set, all differences are finite without the pseudo-opponent. A tie is half a win for
    each. A player that only lost, or only won, forms its own set.
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
    """Returns the players reachable from each player in any number of steps, itself included."""
    size = len(step)
    paths = step | np.eye(size, dtype=bool)
    length = 1
    while length < size:
        # Single precision makes path counts inexact, but never wrongly zero.
        paths = paths.astype(np.float32) @ paths.astype(np.float32) > 0
        length *= 2
    return paths
