"""Swiss: in each round, bots meet opponents of similar score, new ones if possible.

In each of the `rounds` rounds, the N entrants fill N // k tables. N mod k sit out: those that have
sat out least, and of these the last in the standings. Bots that forfeit too many matches in a
row are no longer seated (see `withdrawing`); N counts the others. First-round tables are drawn by
seed (with two seats, the upper half meets the lower). Later, entrants are ranked by score,
opponents' score and seed. The tables minimise repeated meetings, then distances in the ranking
(see `swiss_tables`). Keeping siblings apart, if requested, takes precedence over both.

Sitting out is neutral, because the score is a mean over opponents met. Standings are ordered by
score, then mean score of the opponents met (weighted by meetings, over finished rounds), then
fewer penalty points per match, then name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import ceil, log2
from typing import TYPE_CHECKING, ClassVar

from arena.base.errors import InvalidRequest
from arena.base.text import plural
from arena.games.rules.options import Option, whole_number
from arena.tournaments.formats.cycles import DEALS, cycles
from arena.tournaments.formats.plan import NOTHING, SCORE, Place, Played, SoFar
from arena.tournaments.formats.seeding import SEEDING, seeded
from arena.tournaments.formats.siblings import SIBLINGS, apart, keeps_apart, meet, most_of_one
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.spread import spread
from arena.tournaments.formats.stages import Stage, Staged, stages_of
from arena.tournaments.formats.withdrawing import WITHDRAWING, forfeits_in_a_row, remark, withdrawn

if TYPE_CHECKING:
    from arena.tournaments.formats.swiss_costs import Pairs

MOST_ROUNDS = 200
MOST_ENTRANTS = 500


class Swiss(Staged):
    """A number of rounds among bots of similar score."""

    title = "Swiss"
    about = "In each round, bots meet others with a similar score."
    standings_order = (
        f"{SCORE}; equal scores are ordered by the mean score of the opponents met, "
        "then by mean points."
    )
    options: ClassVar = {
        "rounds": Option(
            "0",
            "how many rounds to play; 0: log2 of the number of bots, rounded up, plus one",
            whole_number(0, MOST_ROUNDS),
        ),
        **SEEDING,
        **WITHDRAWING,
        **SIBLINGS,
        **DEALS,
    }

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest for more bots than can be drawn in reasonable time."""
        if len(spec.bots) > MOST_ENTRANTS:
            raise InvalidRequest(f"A Swiss tournament can have at most {MOST_ENTRANTS} bots.")

    def count(self, spec: TournamentSpec) -> int:
        """Rounds times N // k tables times cycles times k rotations."""
        return rounds(spec) * (len(spec.bots) // spec.seats) * cycles(spec) * spec.seats

    def draw(self, spec: TournamentSpec, so_far: SoFar) -> list[list[int]]:
        """Returns the tables of the next round; empty if too few bots are left."""
        stages, gone = stages_of(so_far), withdrawn(spec, so_far)
        tables = (len(spec.bots) - len(gone)) // spec.seats
        if len(stages) >= rounds(spec) or not tables:
            return []
        ranking = [entrant for entrant in _ranking(spec, stages) if entrant not in gone]
        out = _sit_out(spec, ranking, stages)
        playing = [entrant for entrant in ranking if entrant not in out]
        authors = apart(spec, range(len(spec.bots)), spec.seats)
        if not stages:
            first_tables = [playing[table::tables] for table in range(tables)]
            return spread(first_tables, authors) if authors else first_tables
        from arena.tournaments.formats.swiss_tables import seat  # lazily: its libraries load slowly

        return seat(playing, spec.seats, _met(stages), authors)

    def fold(self, spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]) -> SoFar:
        """Adds a round, and updates the forfeits in a row."""
        forfeits = forfeits_in_a_row(spec, so_far, played)
        return {**super().fold(spec, so_far, played), **forfeits}

    def standings(self, spec: TournamentSpec, stages: Sequence[Stage]) -> tuple[Place, ...]:
        """The mean score of the opponents met breaks ties."""
        return tuple(Place(then=-value) for value in _opposition(spec, stages))

    def stages_in_all(self, spec: TournamentSpec) -> int:
        """Returns the number of rounds."""
        return rounds(spec)

    def preview(self, spec: TournamentSpec) -> str:
        """Returns the number of rounds, tables in each, and bots that sit out."""
        tables, out = divmod(len(spec.bots), spec.seats)
        rest = f", with {plural(out, 'bot')} sitting out" if out else ""
        return f"{plural(rounds(spec), 'round')} of {plural(tables, 'table')}{rest}."

    def siblings_meet(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> str:
        """Siblings must meet if an author has more bots than a round has tables. Only bots that are
        still seated count."""
        gone = withdrawn(spec, so_far)
        left = [entrant for entrant in range(len(spec.bots)) if entrant not in gone]
        why = meet(spec, left)
        authors = [spec.authors[entrant] for entrant in left] if spec.authors else []
        most, tables = most_of_one(authors), len(left) // spec.seats
        if not why and keeps_apart(spec) and most > tables:
            at = "1 table" if tables == 1 else f"{tables} tables"
            return f"Bots of the same owner may meet: one owner has {most}, and a round has {at}."
        return why

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """Returns the number of finished rounds and the bots that are no longer seated."""
        finished = f"{len(stages_of(so_far))} of {rounds(spec)} rounds finished."
        return (finished, *remark(spec, withdrawn(spec, so_far)))


def rounds(spec: TournamentSpec) -> int:
    return int(spec.format_options.get("rounds", "0")) or ceil(log2(len(spec.bots))) + 1


def _met(stages: Sequence[Stage]) -> Pairs:
    return Counter(
        pair for stage in stages for table in stage for pair in combinations(table.entrants, 2)
    )


def _scores(spec: TournamentSpec, stages: Sequence[Stage]) -> list[float]:
    """Returns scores by entrant; 0.5 before the first match."""
    halves, most = [0] * len(spec.bots), [0] * len(spec.bots)
    for stage in stages:
        for table in stage:
            for entrant, mine in zip(table.entrants, table.halves, strict=True):
                halves[entrant] += mine
                most[entrant] += table.most
    return [mine / of if of else 0.5 for mine, of in zip(halves, most, strict=True)]


def _opposition(spec: TournamentSpec, stages: Sequence[Stage]) -> list[float]:
    """Returns by entrant the mean score of its opponents; 0.5 before the first match."""
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


def _sit_out(spec: TournamentSpec, ranking: Sequence[int], stages: Sequence[Stage]) -> set[int]:
    """Returns those that have sat out least, from the end of the ranking."""
    sat = Counter(entrant for stage in stages for table in stage for entrant in table.entrants)
    last_first = ranking[::-1]
    often = sorted(last_first, key=lambda entrant: -sat[entrant])
    return set(often[: len(ranking) % spec.seats])
