"""A large arena made up: many bots, several tournaments, any number of matches.

Everything goes in by `save_results`, in large portions: so the store is in the very state in
which workers leave it, whatever that comprises.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from arena.bench.played_pool import PlayedDeal, played_deals
from arena.pairing import TournamentSpec, check_spec, match_id
from arena.pairing.cycles import DUPLICATE
from arena.store import Store, bots, tournaments
from arena.store.fits import ANCHOR
from arena.store.results import MatchResult, save_results
from arena.store.tournaments import Tournament

GAME, SEATS = "lama", 4
PORTION = 4000  # matches stored in one transaction
DAYS, DAY_S = 60, 86_400.0  # over which they are spread, up to now
# The tournaments' shares of all matches, the oldest first, and of all bots.
SHARES = (
    *((0.40, 1.0), (0.25, 1.0), (0.12, 0.5), (0.08, 1.0), (0.06, 0.25), (0.04, 0.2)),
    *((0.02, 0.1), (0.01, 0.1), (0.01, 1.0), (0.01, 0.06)),
)
RENEWED = 10  # every so many-th bot has a second version halfway
EARLY = 3  # matches of the last tournament that came before their turn


@dataclass(slots=True)
class MadeUp:
    """What results are made from: names of bots, deals really played, and chance."""

    names: list[str]
    deals: list[PlayedDeal]
    chance: random.Random
    _strengths: dict[int, float] = field(default_factory=dict)

    def strength(self, player: int) -> float:
        """How strong a player is, which is drawn when it is first asked for."""
        if player not in self._strengths:
            self._strengths[player] = self.chance.gauss(0.0, 1.0)
        return self._strengths[player]


def make(
    store: Store, count: int, players: int, tell: Callable[[str], None], now: float, seed: int = 1
) -> int:
    """Fills an empty store with about so many matches, played up to `now`; says how many.

    All tournaments are finished but the last, which runs: one of its deals is not whole, and
    some of its matches wait to be rated.
    """
    made_up = made_up_of(players, seed)
    every = DAYS * DAY_S / count
    oldest, stored = now - DAYS * DAY_S, 0
    for number, (deals, entered) in enumerate(_sizes(count, players)):
        if number == len(SHARES) // 2:
            _renew(store, made_up.names)
        names = made_up.chance.sample(made_up.names, entered)
        moment = oldest + every * stored
        tournament = begin(store, names, f"Cup {number + 1}", deals, moment)
        tell(f"Cup {number + 1}: {deals * SEATS:,} matches of {entered} bots")
        found = results(tournament, made_up, range(deals), moment, every)
        if number < len(SHARES) - 1:
            stored += _store(store, found)
            _end(store, tournament, oldest + every * stored)
        else:
            left_out = deals * SEATS - 1 - EARLY
            stored += _store(store, (each for each in found if each.position != left_out))
    return stored


def made_up_of(players: int, seed: int) -> MadeUp:
    """What an arena of so many bots is made from."""
    chance = random.Random(seed)
    names = [ANCHOR, *(f"bot-{number}" for number in range(1, players))]
    return MadeUp(names, played_deals(GAME, SEATS, chance), chance)


def begin(store: Store, names: Sequence[str], title: str, deals: int, now: float) -> Tournament:
    """A tournament of these bots that runs; those that are missing are registered."""
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
    )
    with store.write() as conn:
        known = {bot.name for bot in bots.all_bots(conn)}
        for name in names:
            if name not in known:
                bots.register(conn, name, now)
        made = tournaments.create(conn, check_spec(spec), now=now)
        tournaments.set_state(conn, made.id, "running", now=now)
        return tournaments.get(conn, made.id)


def results(
    tournament: Tournament, made_up: MadeUp, deals: range, now: float, every: float
) -> Iterator[MatchResult]:
    """The matches of these deals, each at a table of its own drawn at random; from `now` on
    (Unix seconds) a match ends `every` so many seconds."""
    chance = made_up.chance
    for deal in deals:
        played = chance.choice(made_up.deals)
        table = chance.sample(tournament.players, SEATS)
        for turn in range(SEATS):
            seated = tuple(table[turn:] + table[:turn])
            finished = now + every * ((deal - deals.start) * SEATS + turn)
            yield _result(tournament, made_up, played, deal * SEATS + turn, seated, finished)


def _result(
    tournament: Tournament,
    made_up: MadeUp,
    played: PlayedDeal,
    position: int,
    players: tuple[int, ...],
    finished: float,
) -> MatchResult:
    course = played.course([made_up.strength(player) for player in players], made_up.chance)
    return MatchResult(
        id=match_id(tournament.spec.seed, tournament.id, position),
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
        started=finished - 1.0,
        finished=finished,
        notes=course.notes,
    )


def _sizes(count: int, players: int) -> Iterator[tuple[int, int]]:
    """For each tournament how many deals it has, and how many bots."""
    for share, part in SHARES:
        yield max(2, round(count * share / SEATS)), max(SEATS, round(players * part))


def _renew(store: Store, names: list[str]) -> None:
    with store.write() as conn:
        for name in names[RENEWED::RENEWED]:
            bots.new_version(conn, name)


def _store(store: Store, found: Iterator[MatchResult]) -> int:
    stored = 0
    while portion := list(islice(found, PORTION)):
        with store.write() as conn:
            stored += save_results(conn, portion)
    return stored


def _end(store: Store, tournament: Tournament, now: float) -> None:
    with store.write() as conn:
        tournaments.set_state(conn, tournament.id, "finished", now=now)
        tournaments.end(conn, tournament)
