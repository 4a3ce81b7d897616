"""Knockout: the best of each table advance, the others are eliminated, until one table is left.

Seeds are the entry order, which may be by Elo or random. Tables always have k seats, and
`advance` of them go on. The rounds (*stages*) work as follows.

    full sizes    k, then ceil(size / advance) * k and so on: sizes at which all tables are full
    a stage       reduces the bots still in to the next full size below, with as few tables as
                  possible; the best seeds get a bye, which only the first stages need
    seeding       tables are filled in snake order: the best seeds meet the worst
    siblings      if kept apart, they swap places with the nearest seeds of the same row
    the final     is the stage with k bots; its table decides the tournament

Each table plays whole cycles of k matches, one for every rotation of the seats. Bots advance by
half-points at the table (2 for each opponent beaten in a match, 1 for each tie), then by fewer
penalty points, then by better seed. So every table is decided, even if all bots forfeit.
"""

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
    """The losers of each table are eliminated."""

    title = "Knockout"
    about = "The best bots of each table advance, and the others are eliminated."
    standings_order = f"Bots that are still in come first, then those that lasted longer. {SCORE}."
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
        """Raises InvalidRequest if all bots of a table would advance."""
        if advancing(spec) >= spec.seats:
            raise InvalidRequest(
                f"At tables of {spec.seats} seats, advance must be at most {spec.seats - 1}. "
                f"It is {advancing(spec)}."
            )

    def count(self, spec: TournamentSpec) -> int:
        """Tables of all stages times cycles times k. At two seats: 2 (N - 1) times cycles."""
        alive, tables = len(spec.bots), 0
        while True:
            stage, out = _stage(alive, spec.seats, advancing(spec))
            tables += stage
            if not out:
                return tables * cycles(spec) * spec.seats
            alive -= out

    def draw(self, spec: TournamentSpec, so_far: SoFar) -> list[list[int]]:
        """Returns the tables of the next stage. The best seeds get the byes."""
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
        """Bots still in come first, then those eliminated later. Bots eliminated in the same
        stage are ordered by place at their table, score there, penalty points and seed. The
        final's table decides the last places."""
        firsts = [0.0] * len(spec.bots)
        left = len(spec.bots)
        for number, stage in enumerate(stages):
            gone = _out(spec, stages[:number], stage)
            for place, entrant in enumerate(gone, left - len(gone)):
                firsts[entrant] = float(place)
            left -= len(gone)
        return tuple(map(Place, firsts))

    def shares(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> tuple[float, ...]:
        """The bots still in share the seats."""
        stages = stages_of(so_far)
        return seat_shares(spec, may=self.still_in(spec, stages) if stages else None)

    def still_in(self, spec: TournamentSpec, stages: Sequence[Stage]) -> list[int]:
        """Returns the entrants still in, best seed first; none after the final."""
        alive = seeded(spec)
        for number, stage in enumerate(stages):
            gone = set(_out(spec, stages[:number], stage))
            alive = [entrant for entrant in alive if entrant not in gone]
        return alive

    def stages_in_all(self, spec: TournamentSpec) -> int:
        """Number of stages, including the final."""
        alive, stages = len(spec.bots), 1
        while out := _stage(alive, spec.seats, advancing(spec))[1]:
            alive, stages = alive - out, stages + 1
        return stages

    def siblings_meet(self, spec: TournamentSpec, so_far: SoFar = NOTHING) -> str:
        """The last stages may have no other table to move to."""
        why = super().siblings_meet(spec, so_far)
        if not why and keeps_apart(spec):
            return (
                "Bots of the same owner are kept apart while a stage has a table for each of "
                "them, and may meet in the last stages."
            )
        return why

    def remarks(self, spec: TournamentSpec, so_far: SoFar) -> tuple[str, ...]:
        """Describes the next stage and its size."""
        stages = stages_of(so_far)
        alive = self.still_in(spec, stages)
        if len(alive) < spec.seats:
            places = self.standings(spec, stages)
            winner = min(range(len(places)), key=lambda entrant: places[entrant].first)
            return (f"Final played; {spec.bots[winner]} has won.",)
        tables, out = _stage(len(alive), spec.seats, advancing(spec))
        if not out:
            names = ", ".join(spec.bots[entrant] for entrant in alive)
            return (f"Stage {len(stages) + 1}, the final: {names}.",)
        byes = len(alive) - tables * spec.seats
        rest = f", {byes} with a bye" if byes else ""
        met = "1 table" if tables == 1 else f"{tables} tables"
        return (f"Stage {len(stages) + 1}: {len(alive)} still in, {met}{rest}.",)


def advancing(spec: TournamentSpec) -> int:
    """Returns how many bots of a table advance."""
    return int(spec.format_options.get("advance", "0")) or spec.seats // 2


def _stage(alive: int, seats: int, advance: int) -> tuple[int, int]:
    """Returns a stage's number of tables and of eliminated bots (0 in the final)."""
    if alive == seats:
        return 1, 0
    size = seats
    while (larger := -(-size // advance) * seats) < alive:
        size = larger
    tables = min(alive // seats, -(-(alive - size) // (seats - advance)))
    return tables, min(tables * (seats - advance), alive - size)


def _out(spec: TournamentSpec, before: Sequence[Stage], stage: Stage) -> list[int]:
    """Returns the entrants eliminated in a stage, best first. The final eliminates all."""
    seed = {entrant: place for place, entrant in enumerate(seeded(spec))}
    alive = len(spec.bots)
    for _ in before:
        alive -= _stage(alive, spec.seats, advancing(spec))[1]
    _, out = _stage(alive, spec.seats, advancing(spec))
    lines = []
    # If fewer go out than the tables allow, the tables of the best seeds let more advance.
    tables = sorted(stage, key=lambda table: min(seed[entrant] for entrant in table.entrants))
    for number, table in enumerate(tables):
        each = (out + number) // len(tables) if out else spec.seats
        for place, at in list(enumerate(table.ranking(seed)))[spec.seats - each :]:
            entrant = table.entrants[at]
            lines.append((place, -table.halves[at], table.points[at], seed[entrant], entrant))
    return [entrant for *_, entrant in sorted(lines)]
