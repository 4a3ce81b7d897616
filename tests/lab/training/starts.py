"""Rounds from random points, and the matches that follow from them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from arena.games.batch import Games, batch_class
from arena.games.batch.arrays import Bool, Index, Int, Int8, Int16
from arena.games.batch.kadabra import KadabraGames
from arena.games.batch.rounds import IGNORED
from arena.games.batch.tokens import TokenGames
from arena.games.rules.rounds import GAME_ENDS_AT
from arena.games.rules.tokens import TEN
from arena.value.network import Floats
from arena.value.strategies import STYLES, choose
from arena.value.turns import scores_of_points

PLAYER = "sharp"  # in every seat
AT_ONCE = 8192  # games stepped together
MATCHES = 2048  # of Kadabra, to sample the tokens of players
PUT_ASIDE = 0.1  # share of finished games above which they are removed


class Rounds(NamedTuple):
    """Rounds from their start to their end."""

    points: Int16  # (N, seats): held at the start
    starter: Int8  # (N,)
    after: Int16  # (N, seats): held at the end
    next_starter: Int8  # (N,): undefined in finished matches
    finished: Bool  # (N,): whether the match is over


class Starts:
    """Begins rounds with given points.

    In Kadabra a round depends on the tokens of the players and of the stage. Both are sampled from
    whole matches.
    """

    def __init__(self, game: str, seats: int, rng: np.random.Generator) -> None:
        self.game, self.seats, self.rng = game, seats, rng
        self._whites = {points: np.array([points % TEN]) for points in range(GAME_ENDS_AT)}
        self._stages = np.zeros((1, 2), np.int16)
        if batch_class(game) is KadabraGames:
            self._look_at_tokens()

    def points(self, count: int) -> Int16:
        """Return random points (count, seats) below 40. A third is uniform, a third is up to a
        random number, and a third is between two, so that late states are frequent."""
        kind, shape = self.rng.integers(3, size=count), (count, self.seats)
        low = np.where(kind == 2, self.rng.integers(GAME_ENDS_AT, size=count), 0)
        high = low + np.floor(self.rng.random(count) * (GAME_ENDS_AT - low))
        high[kind == 0] = GAME_ENDS_AT - 1
        span = (high - low + 1)[:, None]
        points = low[:, None] + np.floor(self.rng.random(shape) * span)
        return np.asarray(points, np.int16)

    def starters(self, count: int) -> Int8:
        """Return random seats (count,)."""
        return self.rng.integers(self.seats, size=count).astype(np.int8)

    def games(self, points: Int16, starter: Int8) -> Games:
        """Return games at the start of a round."""
        games = batch_class(self.game)(len(points), self.seats, self.rng.bytes(16))
        self.begin(games, np.arange(len(points)), points, starter)
        return games

    def begin(self, games: Games, which: Index, points: Int16, starter: Int8) -> None:
        """Set the points (M, seats) and the starter (M,) of new games (M,)."""
        games.starter[which] = games.seat[which] = starter
        games.points[which] = points
        if isinstance(games, TokenGames):
            whites = self._drawn_whites(points)
            games.whites[which], games.blacks[which] = whites, (points - whites) // TEN
        if isinstance(games, KadabraGames):
            stages = self._stages[self.rng.integers(len(self._stages), size=len(which))]
            games.stage_whites[which], games.stage_blacks[which] = stages.T

    def _drawn_whites(self, points: Int16) -> Int16:
        whites = np.empty_like(points)
        for held in np.unique(points).tolist():
            same = points == held
            whites[same] = self.rng.choice(self._whites[held], int(same.sum()))
        return whites

    def _look_at_tokens(self) -> None:
        games = batch_class(self.game)(MATCHES, self.seats, self.rng.bytes(16))
        assert isinstance(games, KadabraGames)
        points, whites, stages, seen = [], [], [], games.round * 0
        while not games.finished.all():
            new = np.flatnonzero((games.round != seen) & ~games.finished)
            points.append(games.points[new].ravel())
            whites.append(games.whites[new].ravel())
            stages.append(np.stack((games.stage_whites[new], games.stage_blacks[new]), axis=1))
            seen = games.round.copy()
            games.step(choose(games, players(games), self.rng))
        held, of_whites = np.concatenate(points), np.concatenate(whites)
        self._stages = np.concatenate(stages)
        for number in np.unique(held[held < GAME_ENDS_AT]).tolist():
            self._whites[number] = of_whites[held == number]


def players(games: Games) -> Int8:
    """Return PLAYER for each game (N,)."""
    return np.full(len(games), STYLES.index(PLAYER), np.int8)


def rounds(starts: Starts, count: int, *, uniform: bool = False) -> Rounds:
    """Return at least `count` rounds.

    Matches start with random points and are played to the end. With `uniform` each round starts
    with new points, all equally likely.
    """
    parts = list[tuple[Int, ...]]()
    for part in _rounds(starts, uniform):
        parts.append(part)
        count -= len(part[0])
        if count <= 0:
            break
    return Rounds(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _rounds(starts: Starts, uniform: bool) -> Iterator[tuple[Int, ...]]:
    def new_points(size: int) -> Int16:
        if uniform:
            return starts.rng.integers(GAME_ENDS_AT, size=(size, starts.seats)).astype(np.int16)
        return starts.points(size)

    games = starts.games(new_points(AT_ONCE), starts.starters(AT_ONCE))
    points, starter, number = games.points.copy(), games.starter.copy(), games.round.copy()
    while True:
        games.perform(choose(games, players(games), starts.rng).astype(np.uint8))
        games.is_offered = False
        over = np.flatnonzero((games.round != number) | games.finished)
        if not len(over):
            continue
        finished = games.finished[over]
        seen = (points, starter, games.points, games.starter)
        yield (*(each[over] for each in seen), finished)
        new = over if uniform else over[finished]
        games.restart(new)
        starts.begin(games, new, new_points(len(new)), starts.starters(len(new)))
        points[over], starter[over] = games.points[over], games.starter[over]
        number[over] = games.round[over]


def simulated(starts: Starts, points: Int16, starter: Int8, matches: int) -> Floats:
    """Return the mean pair scores (N, seats, seats) of `matches` matches from each state: points
    (N, seats) and the starter (N,) of the next round."""
    total = np.zeros((len(points), starts.seats, starts.seats))
    numbers = np.repeat(np.arange(len(points)), matches)
    for some in np.array_split(numbers, -(-len(numbers) // (4 * AT_ONCE))):
        games, left = starts.games(points[some], starter[some]), some
        over = games.finished
        while len(left):
            actions = choose(games, players(games), starts.rng)
            games.perform(np.where(over, IGNORED, actions).astype(np.uint8))
            games.is_offered = False
            over = games.finished
            if over.mean() > PUT_ASIDE or over.all():
                np.add.at(total, left[over], scores_of_points(games.points[over]))
                going = np.flatnonzero(~over)
                left, over = left[going], over[going]
                games = games.select(going) if len(going) else games
    mean: Floats = (total / matches).astype(np.float32)
    return mean
