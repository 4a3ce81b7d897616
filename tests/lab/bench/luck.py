"""Measures how many matches luck-adjusted scores save, by field, for `bench luck`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

import arena.base.blas_threads  # noqa: F401 - before NumPy's threads start
from arena.games.batch import Games, batch_class
from arena.games.batch.arrays import Index, Int, Int16, UInt8, UInt64
from arena.games.batch.dice import DiceGames
from arena.games.batch.rounds import TURN
from arena.games.batch.shedding import SheddingGames
from arena.games.rules.shedding import DRAW, PLAY, QUIT
from arena.store.projections.lucky import LuckyDeals
from arena.store.projections.table_luck import add_up
from arena.store.reports.match_luck import tables_of
from arena.tournaments.ratings.adjusted import LuckyBlock
from arena.tournaments.ratings.coefficient import parts_of
from arena.tournaments.ratings.deal_blocks import Booleans, DealBlock
from arena.tournaments.ratings.luck_saved import Saved, TableLuck, less_luck, moved, saved
from arena.tournaments.ratings.match_luck import totals
from arena.value.luck.finished import HIGHEST, LOWEST, default_actions, shrunk
from arena.value.luck.valuing import LuckNet, find
from arena.value.luck.watching import Watch
from arena.value.strategies import STYLES, Policy, house_policy
from arena.value.strategies.dice import SCORE
from arena.value.strategies.shedding import penalty
from tests.lab.players import player

FORFEITS = "forfeits"  # plays at random, and forfeits at one decision in a hundred
OFTEN = 0.01
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "house": STYLES,
    "beginners": ("readme", "first", "last", "readme", "first", "last"),
    "always quit": ("quits",) * 6,
    "never quit": ("stays",) * 6,
    "quit and stay": ("quits", "stays", "quits", "stays", "quits", "stays"),
    "random": ("random", "random", "random", "random", FORFEITS, FORFEITS),
    "student": ("student",) * 6,
    "master": ("master",) * 6,
    "mixed": ("sharp", "five", "readme", "quits", "stays", FORFEITS, "student"),
}


@dataclass(frozen=True)
class Measured:
    """The factor of matches saved, with its interval and coefficient; `fixed` has coefficient 1, as
    on the model card."""

    game: str
    seats: int
    field: str
    matches: int
    found: Saved
    fixed: Saved


@dataclass(frozen=True)
class Sample:
    """Matches: `players` (N, seats) by their number in the field, `points` and whether each
    `forfeited` (N, seats), and the luck of each pair of seats (N, P) in units of `match_luck`."""

    players: Index
    points: Int16
    forfeited: Booleans
    luck: Int


def measure(
    games: Sequence[str],
    seats: Sequence[int],
    fields: Sequence[str],
    rounds: int,
    matches: int,
    seed: int,
) -> Iterator[Measured]:
    """Play these fields at all these tables; `master` plays out `rounds` rounds for a decision.
    Raises NotFound without a policy."""
    for game, count, field in product(games, seats, fields):
        net = find(game, count)
        if net is None:
            continue
        rng = np.random.default_rng([seed, count, sorted(FIELDS).index(field)])
        tables = sums(sample(net, game, FIELDS[field], rounds, matches, rng))
        fixed = [moved(each.rows(count), np.ones(len(each.table))) for each in tables]
        found = saved(tables, less_luck(tables, count))
        yield Measured(game, count, field, matches, found, saved(tables, fixed))


def sums(played: Sample) -> list[TableLuck]:
    """Return the sums as a tournament stores them."""
    deals = len(played.players)
    block = DealBlock(
        played.players[:, None].astype(np.int64) + 1,
        played.points[:, None].astype(np.int64),
        played.forfeited[:, None],
    )
    parts = parts_of(1, np.arange(deals))
    model = np.ones(deals, dtype=np.int64)
    return tables_of(add_up([LuckyDeals(model, parts, LuckyBlock(block, played.luck[:, None]))]))


def sample(
    net: LuckNet,
    game: str,
    field: Sequence[str],
    rounds: int,
    count: int,
    rng: np.random.Generator,
) -> Sample:
    """Play matches between different bots of the field."""
    players = rng.permuted(np.tile(np.arange(len(field)), (count, 1)), axis=1)[:, : net.seats]
    policies = {name: policy_of(name, game, net.seats, rounds) for name in set(field)}
    names = np.array(field)
    seed = rng.bytes(16)
    games, match = batch_class(game)(count, net.seats, seed), np.arange(count)
    games.keep_moves()
    points, out = np.zeros((count, net.seats), np.int16), np.zeros((count, net.seats), np.bool_)
    log: list[UInt8] = []
    while True:
        over = games.finished
        if over.any():
            points[match[over]] = games.points[over]
            if over.all():
                watch = Watch(net, batch_class(game)(count, net.seats, seed), _seeds(count, rng))
                return Sample(players, points, out, _luck(net, watch, log))
            left = np.flatnonzero(~over)
            games, match = games.select(left), match[left]
        now = games.offered()
        whose = names[players[match, now.seat]]
        out[match, now.seat] |= (whose == FORFEITS) & (rng.random(len(now)) < OFTEN)
        gone = out[match, now.seat]
        lowest, highest = now.nth_legal(LOWEST), now.nth_legal(HIGHEST)
        actions = np.where(gone, default_actions(now, lowest, highest), lowest).astype(np.uint8)
        for name, policy in policies.items():
            own = np.flatnonzero((whose == name) & ~gone & (lowest != highest))
            if len(own):
                actions[own] = policy(now.select(own), rng)
        log.append(actions)
        games.step(actions)


def _seeds(count: int, rng: np.random.Generator) -> UInt64:
    return rng.integers(0, 1 << 64, (count, 2), dtype=np.uint64)


def _luck(net: LuckNet, watch: Watch, log: Sequence[UInt8]) -> Int:
    """Return the luck as workers store it, by replaying the matches."""
    count = len(watch.games)
    for actions in log:
        if (over := watch.games.finished).any():
            watch.keep(np.flatnonzero(~over))
        watch.step(actions)
    events = shrunk(net, watch.events())
    luck = totals(net.seats, count, events.match, events.kind, events.pairs)
    return np.stack([each.pairs for each in luck])


def policy_of(name: str, game: str, seats: int, rounds: int) -> Policy:
    """Return the policy of a bot of a field. Raises NotFound without a policy model."""
    own = {"readme": readme, "first": first, "last": last, "quits": quits, "stays": stays}
    if name in own:
        return own[name]
    return house_policy("random") if name == FORFEITS else player(name, game, seats, rounds)


def readme(games: Games, rng: np.random.Generator) -> Int:
    """Play as the bot of the README: a card, or else quit with six points or fewer."""
    if isinstance(games, DiceGames):
        rows = games.rows[np.arange(len(games)), games.seat]
        held = SCORE[np.packbits(rows > 0, axis=1, bitorder="little")[:, 0]]
        plays = np.zeros((len(games), 1), np.bool_)
    else:
        assert isinstance(games, SheddingGames)
        held = penalty(games, np.arange(len(games)))
        plays = games.legal[:, PLAY : PLAY + len(games.rules.kinds)]
    little = held <= 6
    turn = np.where(little & games.legal[:, QUIT], QUIT, _on(games))
    turn = np.where(plays.any(axis=1), PLAY + plays.argmax(axis=1), turn)
    other = np.where(little, last(games, rng), games.nth_legal(LOWEST))
    return np.where(games.phase == TURN, turn, other)


def first(games: Games, rng: np.random.Generator) -> Int:
    """Take the first legal action except quitting."""
    lowest = games.nth_legal(LOWEST)
    return np.where((games.phase == TURN) & (lowest == QUIT), _on(games), lowest)


def last(games: Games, rng: np.random.Generator) -> Int:
    """Take the last legal action: the highest card, the most tokens."""
    return games.nth_legal(HIGHEST)


def quits(games: Games, rng: np.random.Generator) -> Int:
    """Quit at the first turn."""
    can = (games.phase == TURN) & games.legal[:, QUIT]
    return np.where(can, QUIT, games.nth_legal(HIGHEST))


def stays(games: Games, rng: np.random.Generator) -> Int:
    """Play as `sharp`, but draw or roll instead of quitting if possible."""
    chosen = house_policy("sharp")(games, rng)
    return np.where((games.phase == TURN) & (chosen == QUIT), _on(games), chosen)


def _on(games: Games) -> Int:
    """Draw or roll if that is legal, else take the last legal action."""
    return np.where(games.legal[:, DRAW], DRAW, games.nth_legal(HIGHEST))
