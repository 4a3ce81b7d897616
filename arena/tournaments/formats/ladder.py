"""Ladder: an open-ended tournament that plays the tables that best resolve the ranking.

A block has a few tables, each with its cycles of k matches, one for every rotation of the seats.
Tables are chosen one at a time by the criterion of `arena.tournaments.formats.uncertainty`: the
table that most lowers the variance between neighbours whose order is in doubt. A new bot's
strength is the least certain, so it plays often until it is placed. Bots may enter at any time,
and a new version replaces the old one. A bot that has not played for STARVED times its fair gap
(N / k tables) sits at the next table. Siblings never share a table if they are kept apart. A bot
that forfeits too many matches in a row is no longer seated (see `withdrawing`).

The stored state is the number of matches and half-points by pair, so planning does not slow down
as matches are played. The ladder ends when its match limit is reached, or when it is cancelled.
Standings are ordered by estimated strength, score, fewer penalty points per match, and name.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from arena.base.errors import InvalidRequest
from arena.base.text import plural
from arena.games.rules.options import Option, whole_number
from arena.tournaments.formats.cycles import DEALS, cycle_of, cycles
from arena.tournaments.formats.plan import (
    BLOCK,
    NOTHING,
    SCORE,
    Format,
    Place,
    PlannedMatch,
    Played,
    SoFar,
    seat_shares,
)
from arena.tournaments.formats.rotations import block_of
from arena.tournaments.formats.siblings import SIBLINGS, apart, meet
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.withdrawing import WITHDRAWING, forfeits_in_a_row, remark, withdrawn
from arena.tournaments.ratings.elo import score

STARVED = 4
LEAST = 128  # least matches in a block, roughly; fewer would leave workers idle
Pairs = dict[tuple[int, int], tuple[int, int]]  # matches and half-points of the lower-numbered


class Ladder(Format):
    """Plays the tables at which the order is in doubt."""

    title = "Ladder"
    about = "Keeps playing where the order of the bots is least certain. Bots may join at any time."
    standings_order = (
        "Ordered by estimated strength when the latest matches were scheduled. The estimate "
        f"takes a bot's opponents into account. {SCORE}."
    )
    needs_results = True
    ends_early = True
    stops_at_clear_pairs = True
    evens_out = False
    takes_new = True
    options: ClassVar = {
        "matches": Option(
            "100000",
            "how many matches to play before it ends",
            whole_number(1, 999_999_999),
            "Match limit",
        ),
        **WITHDRAWING,
        **SIBLINGS,
        **DEALS,
    }

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest if the match limit is too low for one table."""
        if not self.count(spec):
            raise InvalidRequest(
                f"The limit of {spec.format_options['matches']} matches is below the "
                f"{_table(spec):,} of one table. Raise it, or play fewer matches at each table."
            )

    def count(self, spec: TournamentSpec) -> int:
        """Returns the match limit, rounded down to whole tables of cycles times k matches."""
        table = _table(spec)
        return int(spec.format_options["matches"]) // table * table

    def block(
        self, spec: TournamentSpec, number: int, so_far: SoFar = NOTHING
    ) -> tuple[PlannedMatch, ...]:
        """Returns the next tables: about two for each bot, and 128 to 512 matches."""
        played = so_far.get("tables", 0)
        left = self.count(spec) // _table(spec) - played
        count = min(left, tables_in_block(spec))
        enough = len(_active(spec, so_far)) >= spec.seats
        tables = _choose(spec, so_far, count) if left > 0 and enough else []
        each = cycles(spec)
        repeated = [entrants for entrants in tables for _ in range(each)]
        return block_of(spec, number, played * each, repeated)

    def preview(self, spec: TournamentSpec) -> str:
        """Describes how pairings come about."""
        return "Results decide which bots meet. No bot waits much longer than others."

    def shares(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> tuple[float, ...]:
        """Only the last version of a bot plays."""
        return seat_shares(spec, may=_newest(spec))

    def blocks_left(self, spec: TournamentSpec, matches: int, so_far: SoFar = NOTHING) -> int:
        """Each block has several tables."""
        return -(-matches // (tables_in_block(spec) * _table(spec)))

    def fold(self, spec: TournamentSpec, so_far: SoFar, played: Sequence[Played]) -> SoFar:
        """Adds a block to the counts and re-estimates all strengths."""
        from arena.tournaments.formats import uncertainty

        pairs = _pairs(so_far)
        for one in played:
            _count(pairs, one)
        sat = _sat(spec, so_far)
        tables = so_far.get("tables", 0)
        for deal, table in sorted({one.match.deal: one.match.seats for one in played}.items()):
            for entrant in table:
                sat[entrant] = cycle_of(spec, deal, spec.seats) // cycles(spec) + 1
        entrants = len(spec.bots)
        won, _ = uncertainty.counts(entrants, spec.seats, pairs)
        strengths = uncertainty.strengths(won, _strengths(spec, so_far))
        return {
            "tables": tables + len(played) // _table(spec),
            "sat": sat,
            **forfeits_in_a_row(spec, so_far, played),
            "strengths": [round(value, 9) for value in strengths],
            "pairs": [[*pair, *counts] for pair, counts in sorted(pairs.items())],
        }

    def places(self, spec: TournamentSpec, so_far: SoFar) -> tuple[Place, ...]:
        """Orders by estimated strength, which takes a bot's opponents into account. Bots without
        an estimate come last."""
        met = {entrant for pair in _pairs(so_far) for entrant in pair}
        strengths = _strengths(spec, so_far)
        last = 1.0 - min(strengths, default=0.0)
        known = enumerate(strengths)
        return tuple(Place(-value if entrant in met else last) for entrant, value in known)

    def siblings_meet(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> str:
        """Only bots that are still seated count."""
        return meet(spec, _active(spec, so_far) or _newest(spec))

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """Describes how often bots had played, and which bots are no longer seated."""
        gone = withdrawn(spec, so_far)
        met = [0] * len(spec.bots)  # opponents over all matches, by entrant
        for pair, (matches, _) in _pairs(so_far).items():
            for entrant in pair:
                met[entrant] += matches
        active = _active(spec, so_far) or _newest(spec)
        played = [met[entrant] // (spec.seats - 1) for entrant in active]
        least, most = min(played), max(played)
        each = f"{least:,} to " * (least < most) + plural(most, "match", "matches")
        often = (f"Each bot had played {each} when the latest ones were scheduled.",)
        return (*(often if most else ()), *remark(spec, gone.intersection(_newest(spec))))


def tables_in_block(spec: TournamentSpec) -> int:
    """Returns the number of tables in a block. The last block may have fewer."""
    table = _table(spec)
    return min(max(1, BLOCK // table), max(LEAST // table, 2 * len(spec.bots) // spec.seats, 1))


def _table(spec: TournamentSpec) -> int:
    """Returns the number of matches that a table plays each time it is chosen."""
    return cycles(spec) * spec.seats


def _choose(spec: TournamentSpec, so_far: SoFar, count: int) -> list[list[int]]:
    """Chooses `count` tables, each with the earlier ones taken into account."""
    from arena.tournaments.formats import uncertainty

    entrants = len(spec.bots)
    _, met = uncertainty.counts(entrants, spec.seats, _pairs(so_far))
    active = _active(spec, so_far)
    strengths = _strengths(spec, so_far)
    authors = apart(spec, active, spec.seats)
    doubt = uncertainty.Doubt(strengths, met, active, spec.seats, cycles(spec), authors)
    sat = _sat(spec, so_far)
    tables: list[list[int]] = []
    for number in range(so_far.get("tables", 0), so_far.get("tables", 0) + count):
        longest = min(active, key=sat.__getitem__)
        starved = (number - sat[longest]) * spec.seats > STARVED * len(active)
        table = doubt.table(longest if starved else None)
        doubt.add(table)
        for entrant in table:
            sat[entrant] = number + 1
        tables.append(table)
    return tables


def _active(spec: TournamentSpec, so_far: SoFar) -> list[int]:
    """Returns the entrants that may be seated, ascending."""
    gone = withdrawn(spec, so_far)
    return [entrant for entrant in _newest(spec) if entrant not in gone]


def _newest(spec: TournamentSpec) -> list[int]:
    """Returns the last of the entrants with the same name (versions of a bot), ascending."""
    newest = {name.lower(): entrant for entrant, name in enumerate(spec.bots)}
    return sorted(newest.values())


def _count(pairs: Pairs, one: Played) -> None:
    places = dict(zip(one.match.seats, zip(one.forfeited, one.points, strict=True), strict=True))
    entrants = sorted(places)
    for at, lower in enumerate(entrants):
        for higher in entrants[at + 1 :]:
            matches, halves = pairs.get((lower, higher), (0, 0))
            mine = int(2 * score(places[lower], places[higher]))
            pairs[lower, higher] = (matches + 1, halves + mine)


def _pairs(so_far: SoFar) -> Pairs:
    return {(one, other): (met, halves) for one, other, met, halves in so_far.get("pairs", ())}


def _sat(spec: TournamentSpec, so_far: SoFar) -> list[int]:
    """Returns by entrant the number of tables in all after the last table it sat at."""
    last_tables: list[int] = list(so_far.get("sat", ()))
    return last_tables + [so_far.get("tables", 0)] * (len(spec.bots) - len(last_tables))


def _strengths(spec: TournamentSpec, so_far: SoFar) -> list[float]:
    """Returns the strengths by entrant; 0 if unknown."""
    values: list[Any] = list(so_far.get("strengths", ()))
    return [*values, *[0.0] * (len(spec.bots) - len(values))]
