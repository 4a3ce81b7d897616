"""How good forecasts are: tournaments among quick and slow bots, foreseen and then played.

For each field a whole arena is started in a temporary folder. A small tournament first, since of a
bot that never answered nobody can know how fast it is; then a larger one is foreseen and played,
and while it runs, it is asked how long it will still take.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arena.base.errors import InvalidRequest
from arena.bench.paced import IN_TURN
from arena.bench.paced_arena import Pace, PacedArena, paced_arena
from arena.protocol.v1 import control_pb2 as pb

LOOK_S = 0.5
LATELY = 20  # looks that make the speed from which the end is extrapolated


@dataclass(frozen=True)
class Field:
    """Bots, and what they play. `first` are the matches for each table of the small tournament."""

    title: str
    slow: tuple[Pace, ...] = ()
    quick: int = 4
    seats: int = 4
    matches: int = 40
    first: int = 4
    format: str = "round-robin"
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    game: str = "lama"


@dataclass(frozen=True)
class Comparison:
    """A forecast and what became of it. Seconds; `alone` is what the arena would take by itself.
    How far `off` the end was that was foretold while it ran, as a share of the whole duration, is
    a mean of all moments: extrapolated from the speed of ten seconds, and as the arena says it."""

    field: Field
    matches: int
    alone: float
    forecast: float
    took: float
    extrapolated_off: float
    forecast_off: float
    sentence: str

    @property
    def ratio(self) -> float:
        """The forecast as a share of what it took."""
        return self.forecast / self.took


SLOW = Pace(20, 4)
FIELDS = (
    Field("all quick", quick=5, matches=240),
    Field("all quick, known from 200 matches", quick=5, first=40, matches=240),
    Field("20 ms, 4 at once", (SLOW,), matches=40),
    Field("20 ms, 4 at once, in turn", (Pace(20, 4, IN_TURN),), matches=16),
    Field("5 ms, 64 at once, in turn", (Pace(5, 64, IN_TURN),), matches=48),
    Field("200 ms, 4 at once", (Pace(200, 4),), matches=12),
    Field("two: 200 ms, 16 and 20 ms, 1 at once", (Pace(200, 16), Pace(20, 1)), 3, 4, 12),
    Field("20 ms, 6 seats", (SLOW,), quick=6, seats=6, first=6, matches=30),
    Field(
        "20 ms, versus", (SLOW,), quick=1, seats=2, first=10, matches=20, format="versus",
        options={"max_deals": "200"},
    ),
    Field(
        "20 ms, ladder", (SLOW,), quick=7, seats=4, first=4, matches=4, format="ladder",
        options={"matches": "512"},
    ),
    Field("20 ms, swiss", (SLOW,), quick=7, seats=2, first=2, matches=20, format="swiss"),
)  # fmt: skip


def measure(field: Field, tell: Callable[[str], None]) -> Comparison:
    """Runs an arena and the two tournaments. Raises Unavailable as `arena up` does."""
    with paced_arena(tell) as arena:
        names = _connected(arena, field)
        _played(arena, _spec(field, names, field.first, "round-robin", {}))
        return _compare(arena, field, names)


def _compare(arena: PacedArena, field: Field, names: list[str]) -> Comparison:
    spec = _spec(field, names, field.matches, field.format, field.options)
    forecast = arena.control.forecast_tournament(spec)
    ended, moments = _played(arena, spec)
    took = ended.finished - ended.started
    extrapolated_off, forecast_off = [], []
    for at, (when, played, seconds) in enumerate(moments):
        before = moments[max(0, at - LATELY)]
        if seconds and played > before[1]:
            left = ended.finished - when
            speed = (played - before[1]) / (when - before[0])
            extrapolated_off.append(abs((forecast.matches - played) / speed - left) / took)
            forecast_off.append(abs(seconds - left) / took)
    return Comparison(
        field,
        ended.played,
        forecast.alone,
        forecast.seconds,
        took,
        _mean(extrapolated_off),
        _mean(forecast_off),
        forecast.sentences[0],
    )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _connected(arena: PacedArena, field: Field) -> list[str]:
    """The names of the field's bots, the slow ones first, when all are there."""
    names = []
    for number, pace in enumerate(field.slow, 1):
        names.append(f"slow-{number}")
        arena.connect(names[-1], names[-1:], pace)
    quick = [f"quick-{number}" for number in range(1, field.quick + 1)]
    arena.connect("quick", quick, Pace(0, 256))
    return names + quick


def _spec(
    field: Field, names: list[str], matches: int, format_: str, options: Mapping[str, str]
) -> pb.TournamentSpec:
    return pb.TournamentSpec(
        game=field.game,
        seats=field.seats,
        bots=names,
        matches=matches,
        format=format_,
        format_options=options,
        seed=1,
        trusted=True,
        move_ms=60_000,
    )


def _played(
    arena: PacedArena, spec: pb.TournamentSpec
) -> tuple[pb.Tournament, list[tuple[float, int, float]]]:
    """The tournament when it is over, and at each moment it ran the time (Unix seconds), the
    matches played, and how many seconds it was said to take still."""
    request = pb.TournamentId(id=arena.control.create_tournament(spec).id)
    moments = []
    while (tournament := arena.control.get_tournament(request)).state != "finished":
        if tournament.state == "running":
            moments.append((time.time(), tournament.played, tournament.forecast.seconds))
        arena.machine.supervisor.pause(LOOK_S)
    return tournament, moments


def chosen(title_part: str) -> list[Field]:
    """The fields with this in their title. Raises InvalidRequest where there are none."""
    fields = [each for each in FIELDS if title_part in each.title]
    if not fields:
        titles = "; ".join(each.title for each in FIELDS)
        raise InvalidRequest(f'No field has "{title_part}" in its title. They are: {titles}.')
    return fields
