"""Swiss: in each round everybody meets others who have done about as well, if possible new ones.

There are `rounds` rounds. In each one the N entrants fill N // k tables; N mod k sit out, those
who did so least often, and of these the last in the standings. In the first round the tables
are made of seeds (with two seats the upper half meets the lower); then the entrants are ranked
by score, opponents' score and seed, neighbours sit down together, and entrants change tables,
as near by as can be, until as few as possible meet again.

Sitting out neither gives nor costs anything, since the score is a mean over opponents met.
Order of the standings: score, then the mean score of the opponents met (weighted by meetings,
over finished rounds), then fewer points per match, then name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import ceil, log2
from typing import TYPE_CHECKING, ClassVar

from arena.errors import InvalidRequest
from arena.pairing.plan import Place, SoFar
from arena.pairing.seeding import SEEDING, seeded
from arena.pairing.stages import Stage, Staged, stages_of
from arena.rules.options import Option, whole_number

if TYPE_CHECKING:
    from arena.pairing.spec import TournamentSpec

MOST_ROUNDS = 200
MOST_ENTRANTS = 500
Pairs = Counter[tuple[int, int]]  # how often two entrants have met; the lower one comes first


class Swiss(Staged):
    """A number of rounds among equals."""

    options: ClassVar = {
        "rounds": Option(
            "0",
            "rounds to be played; 0: one more than it takes to halve the bots to one",
            whole_number(0, MOST_ROUNDS),
        ),
        **SEEDING,
    }

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest for more bots than can be drawn in reasonable time."""
        if len(spec.bots) > MOST_ENTRANTS:
            raise InvalidRequest(f"A Swiss tournament has at most {MOST_ENTRANTS} bots.")

    def count(self, spec: TournamentSpec) -> int:
        """Rounds times N // k tables times deals times k rotations."""
        return rounds(spec) * (len(spec.bots) // spec.seats) * spec.deals * spec.seats

    def draw(self, spec: TournamentSpec, stages: Sequence[Stage]) -> list[list[int]]:
        """The tables of the next round."""
        if len(stages) >= rounds(spec):
            return []
        out = _sit_out(spec, stages)
        playing = [entrant for entrant in _ranking(spec, stages) if entrant not in out]
        tables = len(playing) // spec.seats
        if not stages:
            return [playing[table::tables] for table in range(tables)]
        near = [playing[spec.seats * t : spec.seats * (t + 1)] for t in range(tables)]
        return spread(near, _met(stages))

    def order(self, spec: TournamentSpec, stages: Sequence[Stage]) -> tuple[Place, ...]:
        """The mean score of the opponents met breaks ties."""
        return tuple(Place(then=-value) for value in _opposition(spec, stages))

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """How many rounds are finished."""
        return (f"{len(stages_of(so_far))} of {rounds(spec)} rounds finished.",)


def rounds(spec: TournamentSpec) -> int:
    """How many rounds there are."""
    return int(spec.format_options.get("rounds", "0")) or ceil(log2(len(spec.bots))) + 1


def spread(tables: list[list[int]], met: Pairs) -> list[list[int]]:
    """Swaps entrants between tables while that lowers the number of those who meet again.

    Entrants are given in ranking order, table by table; each swap is the one that lowers it
    most, and of these the one between the nearest places.
    """
    drawn = [list(table) for table in tables]
    size = len(drawn[0])
    while True:
        again = [_again(table, met) for table in drawn]
        best: tuple[int, int, int, int] | None = None
        for one in range(len(drawn) * size):
            if not again[one // size]:
                continue
            for other in range(len(drawn) * size):
                if one // size != other // size:
                    saved = _saved(drawn, again, met, one, other)
                    if saved > 0 and (best is None or (-saved, abs(one - other)) < best[:2]):
                        best = (-saved, abs(one - other), one, other)
        if best is None:
            return drawn
        _swap(drawn, *best[2:])


def _saved(tables: list[list[int]], again: list[int], met: Pairs, one: int, other: int) -> int:
    """By how much a swap lowers the meetings that repeat."""
    size = len(tables[0])
    before = again[one // size] + again[other // size]
    _swap(tables, one, other)
    after = _again(tables[one // size], met) + _again(tables[other // size], met)
    _swap(tables, one, other)
    return before - after


def _swap(tables: list[list[int]], one: int, other: int) -> None:
    size = len(tables[0])
    mine, theirs = tables[one // size], tables[other // size]
    mine[one % size], theirs[other % size] = theirs[other % size], mine[one % size]


def _again(table: list[int], met: Pairs) -> int:
    """How many meetings of before the pairs at a table repeat; the third counts more than the
    second."""
    return sum(met[pair] ** 2 for pair in combinations(sorted(table), 2) if pair in met)


def _met(stages: Sequence[Stage]) -> Pairs:
    return Counter(
        pair for stage in stages for table in stage for pair in combinations(table.entrants, 2)
    )


def _scores(spec: TournamentSpec, stages: Sequence[Stage]) -> list[float]:
    """Score by entrant; a half for who has not played."""
    halves, most = [0] * len(spec.bots), [0] * len(spec.bots)
    for stage in stages:
        for table in stage:
            for entrant, mine in zip(table.entrants, table.halves, strict=True):
                halves[entrant] += mine
                most[entrant] += table.most
    return [mine / of if of else 0.5 for mine, of in zip(halves, most, strict=True)]


def _opposition(spec: TournamentSpec, stages: Sequence[Stage]) -> list[float]:
    """By entrant the mean score of whom it met; a half for who has not played."""
    scores = _scores(spec, stages)
    total, count = [0.0] * len(spec.bots), [0] * len(spec.bots)
    for (one, other), times in sorted(_met(stages).items()):
        for mine, theirs in ((one, other), (other, one)):
            total[mine] += times * scores[theirs]
            count[mine] += times
    return [sum_ / times if times else 0.5 for sum_, times in zip(total, count, strict=True)]


def _ranking(spec: TournamentSpec, stages: Sequence[Stage]) -> list[int]:
    scores, opposition = _scores(spec, stages), _opposition(spec, stages)
    return sorted(seeded(spec), key=lambda entrant: (-scores[entrant], -opposition[entrant]))


def _sit_out(spec: TournamentSpec, stages: Sequence[Stage]) -> set[int]:
    """Those who have sat out least often, from the end of the ranking."""
    sat = Counter(entrant for stage in stages for table in stage for entrant in table.entrants)
    ranking = _ranking(spec, stages)[::-1]
    ranking.sort(key=lambda entrant: -sat[entrant])
    return set(ranking[: len(spec.bots) % spec.seats])
