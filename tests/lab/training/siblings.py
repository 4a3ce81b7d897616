"""Groups of states that differ by one chance event, played on with the same later luck."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from arena.games.batch import Games, batch_class
from arena.games.batch.arrays import Bool, Index, Int, Int8, Int16, UInt8
from arena.games.batch.chance import SPLIT_MIX
from arena.games.batch.dice import DiceGames
from arena.games.batch.rounds import IGNORED
from arena.games.batch.shedding import SheddingGames
from arena.value.luck.beliefs import Beliefs
from arena.value.luck.chances import ROLLS, FixedFaces, chance_decides
from arena.value.luck.features import Features, Halves, features, pile
from arena.value.luck.styled import StyledNet
from arena.value.luck.valuing import settle
from arena.value.network import Floats
from arena.value.search.rollouts import GOING
from arena.value.strategies import STYLES, choose, deciding
from arena.value.turns import order_from, pairs
from tests.lab.training.selfplay import seated

MEMBERS = 4  # states of a group
ROLLOUTS = 4  # to the end of the round, from each state
POOL = 4096  # matches to take states from
SHARE = 0.25  # of events to take; twice that of deals
AT_ONCE = 1024  # groups


class Groups(NamedTuple):
    """States (the rows of a group are adjacent), and their mean results."""

    by_place: Halves  # (N, seats, …), and
    together: Halves  # (N, …): see `Features`
    points: Int16  # (N, seats)
    seat: Int  # (N,): acts next
    open: Bool  # (N,): whether the round goes on; if not, V is not needed
    stats: Floats  # (N, seats · STATS), from that seat on
    scores: Floats  # (N, P): by U at the end of the round, pairs of places from that seat on

    @property
    def states(self) -> Features:
        """The inputs of a model."""
        return Features(self.by_place, self.together)


class _Taken(NamedTuple):
    """States before a chance event, or just after a deal."""

    games: Games
    actions: UInt8
    players: Int8  # (N, seats): the strategy of each seat
    styles: Floats  # (N, seats, S): see `Beliefs`
    dealt: bool


def gather(game: str, seats: int, groups: int, ends: StyledNet, rng: np.random.Generator) -> Groups:
    """Return at least this many groups, from matches between house bots."""
    parts, count = [], 0
    for taken in _taken(game, seats, rng):
        parts.append(_played_on(taken, ends, rng))
        count += len(taken.games)
        if count >= groups:
            break
    return Groups(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _taken(game: str, seats: int, rng: np.random.Generator) -> Iterator[_Taken]:
    """Yield states from self-play endlessly, about a thousand at a time."""
    games = batch_class(game)(POOL, seats, rng.bytes(16))
    styles = seated(POOL, seats, rng)
    beliefs = Beliefs(POOL, seats)
    waiting: dict[bool, list[_Taken]] = {True: [], False: []}

    def note(chosen: Index, actions: UInt8, dealt: bool) -> None:
        known = beliefs.select(chosen).shares()
        taken = _Taken(games.select(chosen), actions, styles[chosen], known, dealt)
        waiting[dealt].append(taken)

    while True:
        begun = games.round.copy()
        actions = choose(games, deciding(games, styles), rng).astype(np.uint8)
        decides = chance_decides(games, actions) & (rng.random(POOL) < SHARE)
        beliefs.note(games, actions)
        if decides.any():
            chosen = np.flatnonzero(decides)
            note(chosen, actions[chosen], dealt=False)
        games.step(actions)
        over = np.flatnonzero(games.finished)
        games.restart()
        beliefs.forget(over)
        styles[over] = seated(len(over), seats, rng)
        dealt = np.flatnonzero((games.round != begun) & (rng.random(POOL) < 2 * SHARE))
        if len(dealt):
            note(dealt, np.zeros(len(dealt), np.uint8), dealt=True)
        for parts in waiting.values():
            if sum(len(part.games) for part in parts) >= AT_ONCE:
                yield _together(parts)
                parts.clear()


def _together(parts: list[_Taken]) -> _Taken:
    return _Taken(
        parts[0].games.joined([part.games for part in parts]),
        np.concatenate([part.actions for part in parts]),
        np.concatenate([part.players for part in parts]),
        np.concatenate([part.styles for part in parts]),
        parts[0].dealt,
    )


# From one state to the members of its group, each several times


def _played_on(taken: _Taken, ends: StyledNet, rng: np.random.Generator) -> Groups:
    games = taken.games
    branches = (
        _deals(games, rng)
        if taken.dealt
        else _rolls(games, taken.actions, rng)
        if isinstance(games, DiceGames)
        else _draws(games, taken.actions, rng)
    )
    begun = np.repeat(games.round, MEMBERS * ROLLOUTS)
    ended = settle(branches, begun)
    # The rollouts of a member differ in hidden cards only: the first one gives its state.
    first = branches.select(np.arange(0, len(branches), ROLLOUTS))
    known = np.repeat(taken.styles, MEMBERS, axis=0)
    states, points, seat = features(first, known), first.points.copy(), first.seat.copy()
    seat[first.finished] = 0
    styles = np.repeat(taken.players, MEMBERS * ROLLOUTS, axis=0)
    final, penalties, starter = _rounds_ended(branches, begun, styles, rng)
    order = np.repeat(order_from(seat, games.seats), ROLLOUTS, axis=0)
    held = np.repeat(points, ROLLOUTS, axis=0)
    stats = _stats(held, final, penalties, order)
    scores = _scores(ends, final, starter, styles, order)
    by_place, rest = (part.astype(np.float16) for part in states)
    open_ = ~ended[::ROLLOUTS]
    return Groups(by_place, rest, points, seat, open_, _mean(stats), _mean(scores))


def _common(by_rollout: Int, count: int) -> Int:
    """Repeat values by group and rollout (count · ROLLOUTS, …) for each member (N, …)."""
    shape = by_rollout.shape[1:]
    parts = by_rollout.reshape(count, 1, ROLLOUTS, *shape)
    return np.broadcast_to(parts, (count, MEMBERS, ROLLOUTS, *shape)).reshape(-1, *shape).copy()


def _mean(values: Floats) -> Floats:
    mean: Floats = values.reshape(-1, ROLLOUTS, values.shape[1]).mean(axis=1)
    return mean


def _copies(games: Games, rng: np.random.Generator) -> Games:
    """Copy each game for all rollouts of its group. Rollouts of one number share later dice."""
    count = len(games)
    made = games.select(np.repeat(np.arange(count), MEMBERS * ROLLOUTS))
    made.chance = SPLIT_MIX
    seeds = rng.integers(0, 1 << 64, (count * ROLLOUTS, 2), dtype=np.uint64)
    made.seeds = _common(seeds, count)
    return made


def _deals(games: Games, rng: np.random.Generator) -> Games:
    """Return games whose members differ in the deal."""
    made = _copies(games, rng)
    decks = np.tile(games.make_deck(), (len(games) * MEMBERS, 1))
    decks = rng.permuted(decks, axis=1)
    made.deal_cards(np.arange(len(made)), np.repeat(decks, ROLLOUTS, axis=0))
    if isinstance(made, SheddingGames):
        places = np.arange(len(made))
        made.decks[places] = _shuffled_pile(made, rng)
    made.is_offered = False
    return made


def _draws(games: SheddingGames | Games, actions: UInt8, rng: np.random.Generator) -> Games:
    """Return games whose members differ in the kind drawn, with otherwise equal piles."""
    assert isinstance(games, SheddingGames)
    count = len(games)
    made = _copies(games, rng)
    assert isinstance(made, SheddingGames)
    lead = games.select(np.repeat(np.arange(count), ROLLOUTS))
    decks = _common(_shuffled_pile(lead, rng), count)
    kinds = np.repeat(_kinds(games, rng).ravel(), ROLLOUTS)
    # Swap a random card of the kind with the top one of the pile.
    behind = np.arange(decks.shape[1]) >= made.drawn[:, None]
    keys = _common(rng.random((count * ROLLOUTS, decks.shape[1]), np.float32), count)
    place = np.where((decks == kinds[:, None]) & behind, keys, -1).argmax(axis=1)
    rows = np.arange(len(made))
    decks[rows, place] = decks[rows, made.drawn]
    decks[rows, made.drawn] = kinds
    made.decks = decks
    made.perform(np.repeat(actions, MEMBERS * ROLLOUTS))
    made.is_offered = False
    return made


def _shuffled_pile(games: SheddingGames, rng: np.random.Generator) -> UInt8:
    """Return the decks with the rest of the pile shuffled; drawn cards have no meaning."""
    keys = rng.random(games.decks.shape, np.float32)
    keys[np.arange(games.decks.shape[1]) < games.drawn[:, None]] = -1
    shuffled: UInt8 = np.take_along_axis(games.decks, keys.argsort(axis=1), axis=1)
    return shuffled


def _kinds(games: SheddingGames, rng: np.random.Generator) -> Index:
    """Draw different kinds of the pile, weighted by frequency; repeat some if there are too few."""
    left = pile(games)
    with np.errstate(divide="ignore"):
        keys = np.log(left) + rng.gumbel(size=left.shape)
    order = np.argsort(-keys, axis=1)[:, :MEMBERS]
    number = np.arange(MEMBERS) % np.minimum((left > 0).sum(axis=1), MEMBERS)[:, None]
    chosen: Index = np.take_along_axis(order, number, axis=1)
    return chosen


def _rolls(games: Games, actions: UInt8, rng: np.random.Generator) -> Games:
    """Return games whose members differ in the roll."""
    made = _copies(games, rng)
    numbers = rng.integers(ROLLS, size=len(games) * MEMBERS)
    faces = np.stack([numbers // 36, numbers // 6 % 6, numbers % 6], axis=1)
    made.chance = FixedFaces(np.repeat(faces, ROLLOUTS, axis=0))
    made.perform(np.repeat(actions, MEMBERS * ROLLOUTS))
    made.is_offered = False
    return made


# To the end of the round, and the results


def _rounds_ended(
    games: Games, begun: Int16, styles: Int, rng: np.random.Generator
) -> tuple[Int16, Int16, Int]:
    """Play to the end of the round. Return points, penalties (N, seats), next starter (N,)."""
    final, penalties = np.zeros((2, len(games), games.seats), np.int16)
    starter, number = np.zeros(len(games), np.int64), np.arange(len(games))
    noted = np.zeros(len(games), np.bool_)
    while True:
        over = (games.round != begun) | games.finished
        done = np.flatnonzero(over & ~noted)
        if len(done):
            final[number[done]], penalties[number[done]] = games.points[done], games.penalties[done]
            starter[number[done]] = games.starter[done]
            noted |= over
            left = np.flatnonzero(~noted)
            if not len(left):
                return final, penalties, starter
            if len(left) < GOING * len(noted):  # copying them after every step costs more
                games, styles, begun = games.select(left), styles[left], begun[left]
                number, noted = number[left], noted[left]
        actions = choose(games, deciding(games, styles), rng)
        games.perform(np.where(noted, IGNORED, actions).astype(np.uint8))
        games.is_offered = False


def _stats(held: Int16, final: Int16, penalties: Int16, order: Index) -> Floats:
    by_seat = np.stack(
        [
            penalties / np.float32(10),
            (penalties / np.float32(10)) ** 2,
            (final - held - penalties) / np.float32(10),
            penalties == 0,
        ],
        axis=2,
    ).astype(np.float32)
    turned = by_seat[np.arange(len(held))[:, None], order]
    return turned.reshape(len(held), -1)


def _scores(ends: StyledNet, final: Int16, starter: Int, styles: Int, order: Index) -> Floats:
    left, right = pairs(order.shape[1])
    scores = ends.scores(final, starter, np.eye(len(STYLES), dtype=np.float32)[styles])
    rows = np.arange(len(final))[:, None]
    made: Floats = scores[rows, order[:, left], order[:, right]]
    return made
