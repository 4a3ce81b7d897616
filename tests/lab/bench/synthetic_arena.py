"""A large synthetic arena: many bots, several tournaments, any number of matches.

Everything is stored by `save_results` in large batches, as workers store it.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from arena.store import Store
from arena.store.registry import bots
from arena.store.registry.anchors import ANCHOR
from arena.store.save import MatchResult, save_results
from arena.store.tournaments import creation, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import FromSecret, TournamentSpec, check_spec
from arena.tournaments.formats.cycles import DUPLICATE
from arena.tournaments.formats.secret import OPEN_SALT
from tests.lab.bench.played_pool import PlayedDeal, played_deals

GAME, SEATS = "lama", 4
PORTION = 4000  # matches stored in one transaction
DAYS, DAY_S = 60, 86_400.0  # the matches are spread over this many days, up to now
# Each tournament's share of all matches and of all bots, oldest tournament first.
SHARES = (
    *((0.40, 1.0), (0.25, 1.0), (0.12, 0.5), (0.08, 1.0), (0.06, 0.25), (0.04, 0.2)),
    *((0.02, 0.1), (0.01, 0.1), (0.01, 1.0), (0.01, 0.06)),
)
RENEWED = 10  # every tenth bot gets a second version halfway
EARLY = 3  # matches of the last tournament that were stored ahead of schedule order


@dataclass(slots=True)
class Population:
    """Bot names, played deals, and a random generator to draw results from."""

    names: list[str]
    deals: list[PlayedDeal]
    rng: random.Random
    _strengths: dict[int, float] = field(default_factory=dict)

    def strength(self, player: int) -> float:
        """A player's strength, drawn on first use."""
        if player not in self._strengths:
            self._strengths[player] = self.rng.gauss(0.0, 1.0)
        return self._strengths[player]


def make(
    store: Store, count: int, players: int, tell: Callable[[str], None], now: float, seed: int = 1
) -> int:
    """Fill an empty store with about `count` matches, played up to `now`; return their number.

    All tournaments are finished except the last, which is running. One of its deals is
    incomplete, and some of its matches wait to be rated.
    """
    population = population_of(players, seed)
    every = DAYS * DAY_S / count
    oldest, stored = now - DAYS * DAY_S, 0
    for number, (deals, entered) in enumerate(_sizes(count, players)):
        if number == len(SHARES) // 2:
            _renew(store, population.names)
        names = population.rng.sample(population.names, entered)
        moment = oldest + every * stored
        tournament = begin(store, names, f"Cup {number + 1}", deals, moment)
        tell(f"Cup {number + 1}: {deals * SEATS:,} matches of {entered} bots")
        match_results = results(tournament, population, range(deals), moment, every)
        if number < len(SHARES) - 1:
            stored += _store(store, match_results)
            _end(store, tournament, oldest + every * stored)
        else:
            left_out = deals * SEATS - 1 - EARLY
            stored += _store(store, (each for each in match_results if each.position != left_out))
    return stored


def population_of(players: int, seed: int) -> Population:
    """A population of `players` bots."""
    rng = random.Random(seed)
    names = [ANCHOR, *(f"bot-{number}" for number in range(1, players))]
    return Population(names, played_deals(GAME, SEATS, rng), rng)


def begin(store: Store, names: Sequence[str], title: str, deals: int, now: float) -> Tournament:
    """A running tournament of these bots; bots that do not exist yet are registered."""
    spec = TournamentSpec(
        name=title,
        game=GAME,
        seats=SEATS,
        bots=tuple(names),
        deals=1,
        format="ladder",
        format_options={"matches": str(deals * SEATS), "deals": DUPLICATE},
        trusted=True,
        repeats=1,
        salt=OPEN_SALT,
    )
    with store.write() as conn:
        registered = {bot.name for bot in bots.all_bots(conn)}
        for name in names:
            if name not in registered:
                bots.register(conn, name, now)
        created = creation.create(conn, check_spec(spec), now=now)
        tournaments.set_state(conn, created.id, "running", now=now)
        return tournaments.get(conn, created.id)


def results(
    tournament: Tournament, population: Population, deals: range, now: float, every: float
) -> Iterator[MatchResult]:
    """The matches of these deals, each deal with its own random table; from `now` on (Unix
    seconds) a match ends every `every` seconds."""
    rng = population.rng
    for deal in deals:
        played = rng.choice(population.deals)
        table = rng.sample(tournament.players, SEATS)
        for turn in range(SEATS):
            seated = tuple(table[turn:] + table[:turn])
            finished = now + every * ((deal - deals.start) * SEATS + turn)
            yield _result(tournament, population, played, deal * SEATS + turn, seated, finished)


def _result(
    tournament: Tournament,
    population: Population,
    played: PlayedDeal,
    position: int,
    players: tuple[int, ...],
    finished: float,
) -> MatchResult:
    course = played.course([population.strength(player) for player in players], population.rng)
    return MatchResult(
        id=FromSecret(bytes(32), tournament.id).match_id(position),
        tournament=tournament.id,
        batch=0,
        position=position,
        deal=position // SEATS,
        game=GAME,
        ruleset=played.ruleset,
        options=tournament.spec.options,
        seed=played.seed,
        players=players,
        points=course.points,
        ranks=course.ranks,
        faults=course.faults,
        forfeited=course.forfeited,
        log=course.log,
        latencies=course.latencies,
        started=finished - 1.0,
        finished=finished,
        notes=course.notes,
    )


def _sizes(count: int, players: int) -> Iterator[tuple[int, int]]:
    """The number of deals and of bots of each tournament."""
    for share, part in SHARES:
        yield max(2, round(count * share / SEATS)), max(SEATS, round(players * part))


def _renew(store: Store, names: list[str]) -> None:
    with store.write() as conn:
        for name in names[RENEWED::RENEWED]:
            bots.new_version(conn, name)


def save(store: Store, batch: Iterable[MatchResult]) -> int:
    """Store results in their own transaction; return the number of new ones."""
    with store.write() as conn:
        return save_results(conn, batch)


def _store(store: Store, match_results: Iterator[MatchResult]) -> int:
    stored = 0
    while portion := list(islice(match_results, PORTION)):
        stored += save(store, portion)
    return stored


def _end(store: Store, tournament: Tournament, now: float) -> None:
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "finished", now=now)
        tournaments.end(conn, tournament)
