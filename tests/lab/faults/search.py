"""Searches for histories in which the arena breaks its promises.

A seed determines a scenario (tournaments, processes, a network, faults) and its history. Afterwards
every match must be stored with the result it has without an arena, no honest bot may be blamed,
everything must be finished soon after the last fault, and no batch may be left over. From a failing
scenario, faults are removed as long as it still fails.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from random import Random

from arena.games.rules import GAMES
from arena.tournaments.formats import TournamentSpec, check_spec
from tests.lab.faults.bots import play_directly
from tests.lab.faults.faults import InjectedFault, draw_faults
from tests.lab.faults.network import Quality
from tests.lab.faults.tournament import SimTournament
from tests.lab.faults.world import Setting, SimArena

NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay")
WITHIN_S = 90.0  # time of the faults
RECOVERY_S = 60.0  # time to recover after the last fault
MOST_FAULTS = 12
LONGEST_S = 36_000.0
SLOW = 0.25  # share of scenarios with slow bots
LONG_MOVE_MS, LONGER = 60_000, 20  # there: the move limit, and the factor for times of faults


@dataclass(frozen=True)
class History:
    """The result of one scenario."""

    seed: int
    seconds: float  # simulated
    tournaments: int
    matches: int
    faults: Counter[str]
    violations: Sequence[str]  # of promises


@dataclass(frozen=True)
class Failure:
    """A scenario with a broken promise, and a minimal set of faults that still break it."""

    seed: int
    faults: Sequence[InjectedFault]
    violations: Sequence[str]


@dataclass
class Found:
    """The results of a search so far."""

    scenarios: int = 0
    seconds: float = 0.0  # simulated
    tournament_seconds: float = 0.0
    matches: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    failure: Failure | None = None

    def add(self, history: History) -> None:
        """Add a history."""
        self.scenarios += 1
        self.seconds += history.seconds
        self.tournament_seconds += history.seconds * history.tournaments
        self.matches += history.matches
        self.faults += history.faults


def scenario(seed: int) -> Setting:
    """Return the scenario of a seed."""
    rng = Random(f"scenario {seed}")
    specs = [_spec(rng) for _ in range(rng.randint(1, 3))]
    lossy = rng.random() < 0.3
    setting = Setting(
        specs[0],
        tuple(specs[1:]),
        batch=rng.choice([4, 8, 16]),
        workers=rng.randint(1, 3),
        gateways=rng.randint(1, 3),
        window=rng.choice([4, 12, 24]),
        slice_s=rng.choice([3.0, 20.0, 60.0]),
        max_in_flight=rng.choice([1, 4, 16]),
        think_s=rng.choice([0.02, 0.1, 0.5]),
        network=Quality(
            most_s=rng.choice([0.005, 0.05]),
            duplicates=0.02 if lossy else 0.0,
        ),
        faults=tuple(draw_faults(rng, rng.randint(1, MOST_FAULTS), WITHIN_S)),
    )
    return _slow(setting, rng.uniform(3.0, 10.0)) if rng.random() < SLOW else setting


def _slow(setting: Setting, think_s: float) -> Setting:
    """Return the scenario with slow bots, and faults further apart."""
    specs = [replace(spec, move_ms=LONG_MOVE_MS) for spec in (setting.spec, *setting.more)]
    faults = [replace(fault, at=fault.at * LONGER) for fault in setting.faults]
    return replace(
        setting,
        spec=specs[0],
        more=tuple(specs[1:]),
        think_s=think_s,
        slice_s=max(setting.slice_s, 20.0),
        max_in_flight=max(setting.max_in_flight, 4),
        faults=tuple(faults),
    )


def _spec(rng: Random) -> TournamentSpec:
    seats = rng.randint(2, 4)
    bots = tuple(rng.sample(NAMES, rng.randint(seats, len(NAMES))))
    game = rng.choice(sorted(GAMES))
    spec = TournamentSpec(
        game=game,
        seats=seats,
        bots=bots,
        matches=seats * -(-rng.randint(1, 40) // comb(len(bots), seats)),
        options={"max_rounds": "2"},  # faults hit the arena, not the rules
    )
    return check_spec(spec)


def play(setting: Setting, seed: int) -> History:
    """Play and check a scenario."""
    last = max((fault.ends for fault in setting.faults), default=0.0)
    world = SimArena(setting, seed)
    ended = world.run(last + RECOVERY_S)
    if not ended:
        undisturbed = SimArena(replace(setting, faults=()), seed)
        assert undisturbed.run(LONGEST_S), "does not end without faults"
        ended = world.run(last + RECOVERY_S + undisturbed.clock.now)
    return History(
        seed,
        world.clock.now,
        len(world.tournaments),
        sum(map(len, world.store.results.values())),
        +world.faults,
        list(violations(world, ended, last)),
    )


def violations(world: SimArena, ended: bool, last: float) -> Iterator[str]:
    """Yield a sentence about each broken promise. `ended` tells whether all batches are complete,
    `last` is the end of the last fault in seconds."""
    if not ended:
        left = len(world.planned) - len(world.store.completed)
        yield (
            f"{left} of {len(world.planned)} batches are not complete at {world.clock.now:.0f} s, "
            f"although the last fault ended at {last:.0f} s"
        )
        return
    for number, tournament in world.tournaments.items():
        yield from _wrongly_withdrawn(world, number, tournament)
        yield from _wrong_results(world, number, tournament)
    if left := len(world.redis.queue):
        yield f"{left} batches are still in the queue"


def _wrongly_withdrawn(world: SimArena, number: int, tournament: SimTournament) -> Iterator[str]:
    withdrawn = world.store.withdrawn.get(number, set())
    for entrant in sorted(withdrawn):
        if (bot := tournament.bots[entrant].name) not in world.setting.late:
            yield f"tournament {number}: {bot} was withdrawn although it was connected"
    for position in sorted(world.store.cancelled.get(number, ())):
        if position in world.store.results[number]:
            yield f"tournament {number}: match {position} is both cancelled and stored"
        if withdrawn.isdisjoint(tournament.planned[position].seats):
            yield f"tournament {number}: match {position} was cancelled without a withdrawn bot"


def _wrong_results(world: SimArena, number: int, tournament: SimTournament) -> Iterator[str]:
    stored, planned = world.store.results.get(number, {}), tournament.planned
    cancelled = world.store.cancelled.get(number, set())
    withdrawn = world.store.withdrawn.get(number, set())
    gone = {tournament.bots[entrant].player for entrant in withdrawn}
    if missing := sorted(planned.keys() - stored.keys() - cancelled):
        yield f"tournament {number}: {len(missing)} matches are lost, the first is {missing[0]}"
    for position, result in sorted(stored.items()):
        match = play_directly(tournament.factory.setup(planned[position]))
        blamed = {p for p, faults in zip(result.players, result.faults, strict=True) if faults}
        if blamed and blamed <= gone:
            continue  # forfeited by withdrawn bots
        if blamed:
            note = result.notes[0]
            yield (
                f"tournament {number}, match {position}: an honest bot was blamed at decision "
                f"{note.number} ({note.kind}: {note.reason})"
            )
        elif (result.points, result.ranks) != (match.result.points, match.result.ranks):
            yield f"tournament {number}, match {position}: not the result without faults"


def shrink(setting: Setting, seed: int) -> Failure:
    """Remove faults one by one as long as the scenario still fails."""
    faults = list(setting.faults)
    violations = play(setting, seed).violations
    at = 0
    while at < len(faults):
        fewer = [*faults[:at], *faults[at + 1 :]]
        history = play(replace(setting, faults=tuple(fewer)), seed)
        if history.violations:
            faults, violations = fewer, history.violations
        else:
            at += 1
    return Failure(seed, faults, violations)


def search(
    first: int, enough: Callable[[Found], bool], told: Callable[[Found], object] = lambda _: None
) -> Found:
    """Play the scenarios of consecutive seeds until `enough` is true or one fails."""
    found, seed = Found(), first
    while not enough(found):
        setting = scenario(seed)
        history = play(setting, seed)
        found.add(history)
        if history.violations:
            found.failure = shrink(setting, seed)
            break
        told(found)
        seed += 1
    return found
