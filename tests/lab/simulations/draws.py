"""Draws the results of very many deals at once, as the sums from which ratings are computed."""

import numpy as np

from arena.tournaments.ratings.deal_sums import DealGroup, pair_columns
from tests.lab.simulations.dealer import log_stable
from tests.lab.simulations.schedules import Tables
from tests.lab.simulations.world import BotPopulation, Floats


def draw(
    world: BotPopulation, tables: Tables, matches: int, chance: np.random.Generator
) -> DealGroup:
    """Plays `matches` matches of one deal at each table, rotated by one seat after each match.

    Each deal is a separate row in the sums, as if no table had played twice.
    """
    players = np.sort(tables, axis=1)
    count, seats = players.shape
    first = chance.permuted(np.tile(np.arange(seats), (count, 1)), axis=1)
    cards, style = _of_deals(world, count, seats, chance)
    points = [
        _points(world, players, (first + turn) % seats, cards, style, chance)
        for turn in range(matches)
    ]
    return _sums(players, np.stack(points, axis=1))


def _of_deals(
    world: BotPopulation, count: int, seats: int, chance: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the luck that is the same in all matches of a deal: by seat, and by bot."""
    without_cards, without_style = _nested(world)
    shape = count, seats
    return log_stable(chance, without_cards, shape), log_stable(chance, without_style, shape)


def _nested(world: BotPopulation) -> tuple[float, float]:
    """The nested scales, as in `dealer`."""
    cards, style = 1.0 - world.cards, 1.0 - world.style / (1.0 - world.cards)
    return float(np.sqrt(cards)), float(np.sqrt(style))


def _points(
    world: BotPopulation,
    players: Tables,
    seated: Tables,
    cards: Floats,
    style: Floats,
    chance: np.random.Generator,
) -> Tables:
    """The points of one match of each deal, by player."""
    without_cards, without_style = _nested(world)
    luck = -np.log(chance.exponential(size=players.shape))
    luck = np.take_along_axis(cards, seated, axis=1) + without_style * (style + luck)
    form = world.strengths[players] + world.by_seat(players.shape[1])[seated]
    return world.points(form + without_cards * luck)


def _sums(players: Tables, points: Tables) -> DealGroup:
    """The sums over deals with these points (deals, matches, seats), in the order of `players`."""
    count, matches, seats = points.shape
    pairs = list(pair_columns(seats))
    halves = np.zeros((count, len(pairs)), dtype=np.int64)
    total = np.zeros((count, seats), dtype=np.int64)
    for column, (one, other) in enumerate(pairs):
        mine, theirs = points[:, :, one], points[:, :, other]
        halves[:, column] = (2 * (mine < theirs) + (mine == theirs)).sum(axis=1)
        total[:, one] += halves[:, column]
        total[:, other] += 2 * matches - halves[:, column]
    rows, columns = np.triu_indices(seats)
    values = np.concatenate([halves, halves**2, total[:, rows] * total[:, columns]], axis=1)
    met = np.full((count, len(pairs)), matches, dtype=np.int64)
    return DealGroup(seats, players, met, np.ones(count, dtype=np.int64), values)
