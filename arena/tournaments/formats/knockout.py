"""Knockout: at every table the best go on, the others are out, until one table is left.

Entrants are seeded in the order in which they are entered (by Elo, or at random, if asked for).
Tables always have k seats, and `advance` of them go on. The stages are

    full sizes    k, then ceil(size / advance) * k, again and again: what fills every table
    a stage       brings the number still in down to the next full size below it, with as few
                  tables as can be; the best seeds have a bye, which only the first stages need
    seeding       within a stage, the tables are filled in snake order: the best with the worst
    siblings      that are to be kept apart change over with the nearest seeds of the same row
    the final     is the stage in which just k are left, and its table is the tournament's

Each table plays whole cycles, k matches with one for every rotation of the seats. Who goes on has
more half-points at the table (2 for each opponent beaten in a match, 1 for each tie), then fewer
points in all, then the better seed. So there is a decision also if everybody forfeits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from arena.base.errors import InvalidRequest
from arena.games.rules.options import Option, whole_number
from arena.tournaments.formats.cycles import DEALS, cycles
from arena.tournaments.formats.plan import NOTHING, SCORE, Place, SoFar, seat_shares
from arena.tournaments.formats.seeding import SEEDING, seeded
from arena.tournaments.formats.siblings import SIBLINGS, apart, keeps_apart
from arena.tournaments.formats.spec import TournamentSpec
from arena.tournaments.formats.spread import spread
from arena.tournaments.formats.stages import Stage, Staged, stages_of


class Knockout(Staged):
    """The losers of each table are out."""

    title = "Knockout"
    about = "At every table the best go on, and the others are out."
    standings_order = f"Who is still in comes first, then who lasted longer. {SCORE}."
    evens_out = False
    eliminates = True
    options: ClassVar = {
        "advance": Option(
            "0",
            "how many bots of a table advance: 1 to seats - 1; 0: half of them",
            whole_number(0, 5),
        ),
        **SEEDING,
        **SIBLINGS,
        **DEALS,
    }

    def check(self, spec: TournamentSpec) -> None:
        """Raises InvalidRequest if everybody would go on."""
        if advancing(spec) >= spec.seats:
            raise InvalidRequest(
                f"At tables of {spec.seats} seats advance is at most {spec.seats - 1}; "
                f"it is {advancing(spec)}."
            )

    def count(self, spec: TournamentSpec) -> int:
        """Tables of all stages times cycles times k; for two seats (N - 1) cycles times 2."""
        alive, tables = len(spec.bots), 0
        while True:
            stage, out = _stage(alive, spec.seats, advancing(spec))
            tables += stage
            if not out:
                return tables * cycles(spec) * spec.seats
            alive -= out

    def draw(self, spec: TournamentSpec, so_far: SoFar) -> list[list[int]]:
        """Fills the next stage's tables, those who sit out being the best seeds."""
        alive = self.still_in(spec, stages_of(so_far))
        if len(alive) < spec.seats:
            return []
        tables, _ = _stage(len(alive), spec.seats, advancing(spec))
        playing = alive[len(alive) - tables * spec.seats :]
        seating: list[list[int]] = [[] for _ in range(tables)]
        for row in range(spec.seats):
            places = playing[row * tables : (row + 1) * tables]
            for table, entrant in enumerate(places if row % 2 == 0 else places[::-1]):
                seating[table].append(entrant)
        authors = apart(spec, range(len(spec.bots)), spec.seats)
        return spread(seating, authors) if authors else seating

    def standings(self, spec: TournamentSpec, stages: Sequence[Stage]) -> tuple[Place, ...]:
        """Who is still in comes first, then who lasted longer; those who went out in the same
        stage stand by their place at the table, then by the score they had there, fewer points,
        and seed. The final's table settles the last places."""
        firsts = [0.0] * len(spec.bots)
        left = len(spec.bots)
        for number, stage in enumerate(stages):
            gone = _out(spec, stages[:number], stage)
            for place, entrant in enumerate(gone, left - len(gone)):
                firsts[entrant] = float(place)
            left -= len(gone)
        return tuple(map(Place, firsts))

    def shares(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> tuple[float, ...]:
        """Those who are still in share the seats."""
        stages = stages_of(so_far)
        return seat_shares(spec, may=self.still_in(spec, stages) if stages else None)

    def still_in(self, spec: TournamentSpec, stages: Sequence[Stage]) -> list[int]:
        """The best seed first; nobody after the final."""
        alive = seeded(spec)
        for number, stage in enumerate(stages):
            gone = set(_out(spec, stages[:number], stage))
            alive = [entrant for entrant in alive if entrant not in gone]
        return alive

    def stages_in_all(self, spec: TournamentSpec) -> int:
        """The final included."""
        alive, stages = len(spec.bots), 1
        while out := _stage(alive, spec.seats, advancing(spec))[1]:
            alive, stages = alive - out, stages + 1
        return stages

    def siblings_meet(self, spec: TournamentSpec) -> str:
        """In the last stages there may be no other table to go to."""
        why = super().siblings_meet(spec)
        if not why and keeps_apart(spec):
            return (
                "Bots of one author are kept apart as long as a stage has as many tables as they "
                "are; in the last ones they may meet."
            )
        return why

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """Which stage is next and how many are in it."""
        stages = stages_of(so_far)
        alive = self.still_in(spec, stages)
        if len(alive) < spec.seats:
            winner = self._winner(spec, stages)
            return (f"Final played; {spec.bots[winner]} has won.",)
        tables, out = _stage(len(alive), spec.seats, advancing(spec))
        if not out:
            return (f"Stage {len(stages) + 1}, the final: {_names(spec, alive)}.",)
        byes = len(alive) - tables * spec.seats
        rest = f", {byes} with a bye" if byes else ""
        met = "1 table" if tables == 1 else f"{tables} tables"
        return (f"Stage {len(stages) + 1}: {len(alive)} still in, {met}{rest}.",)

    def _winner(self, spec: TournamentSpec, stages: Sequence[Stage]) -> int:
        places = self.standings(spec, stages)
        return min(range(len(places)), key=lambda entrant: places[entrant].first)


def advancing(spec: TournamentSpec) -> int:
    """How many of a table go on."""
    return int(spec.format_options.get("advance", "0")) or spec.seats // 2


def _stage(alive: int, seats: int, advance: int) -> tuple[int, int]:
    """A stage's number of tables, and how many go out in it; 0 in the final."""
    if alive == seats:
        return 1, 0
    size = seats
    while (larger := -(-size // advance) * seats) < alive:
        size = larger
    tables = min(alive // seats, -(-(alive - size) // (seats - advance)))
    return tables, min(tables * (seats - advance), alive - size)


def _out(spec: TournamentSpec, before: Sequence[Stage], stage: Stage) -> list[int]:
    """Who went out in a stage, best first; after the final that is everybody left."""
    seed = {entrant: place for place, entrant in enumerate(seeded(spec))}
    alive = len(spec.bots)
    for _ in before:
        alive -= _stage(alive, spec.seats, advancing(spec))[1]
    _, out = _stage(alive, spec.seats, advancing(spec))
    lines = []
    # Where fewer go out than the tables allow, the tables of the best seeds let more of theirs on.
    tables = sorted(stage, key=lambda table: min(seed[entrant] for entrant in table.entrants))
    for number, table in enumerate(tables):
        each = (out + number) // len(tables) if out else spec.seats
        for place, at in list(enumerate(table.ranking(seed)))[spec.seats - each :]:
            entrant = table.entrants[at]
            lines.append((place, -table.halves[at], table.points[at], seed[entrant], entrant))
    return [entrant for *_, entrant in sorted(lines)]


def _names(spec: TournamentSpec, entrants: Sequence[int]) -> str:
    return ", ".join(spec.bots[entrant] for entrant in entrants)
