"""Strategies for LAMA Dice, with tables of the next roll's results; see `arena.bots.dice`."""

from collections import Counter
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.games.batch.arrays import Bool, Int, UInt8, entries
from arena.games.batch.dice import DiceGames
from arena.games.batch.dice_legal import FIRST_MATCH, FIRST_TAKE, NO_MATCH, VALUES, legal_sets
from arena.games.batch.rounds import TURN
from arena.games.rules.dice import DISCARD, QUIT, ROLL
from arena.games.rules.dice_rolls import faces_of
from arena.games.rules.dice_rows import LLAMA, SCORES
from arena.value.strategies.styles import CAREFUL, FIVE, SHARP, TIMID

MOST = 3  # cards of one value that matter: a roll discards two at most
SHAPES = MOST + 1
ROLLS = 216
PLACES = SHAPES ** np.arange(VALUES)
SCORE = np.array([sum(SCORES[v] for v in range(VALUES) if b >> v & 1) for b in range(1 << VALUES)])


class Chances(NamedTuple):
    """The points of a row after the best use of a roll, summed over the 216 rolls."""

    matched: (
        Int  # by the row's counts, up to MOST of each value: rolls that match it, or three llamas
    )
    others: Int  # by values in the row, values in the llama row, and whether alone


def choose(games: DiceGames, styles: Int) -> Int:
    """Return an action for each game (N,)."""
    chosen = usual()[games.offered().legal_sets].astype(np.intp)
    turns = (games.phase == TURN).nonzero()[0]
    chosen[turns] = np.where(has_enough(games, styles)[turns], QUIT, ROLL)
    return chosen


@lru_cache(maxsize=1)
def usual() -> UInt8:
    """Return an action for each set of legal ones: the largest discard, cheapest take or highest
    return."""
    counts, actions, _ = legal_sets()
    made: UInt8 = actions[np.arange(len(counts)), np.maximum(counts, 1) - 1]
    made[FIRST_TAKE:FIRST_MATCH] = actions[FIRST_TAKE:FIRST_MATCH, 0]
    for code in range(len(counts) - FIRST_MATCH):
        match = [v for v in (code // 64, code // 8 % 8, code % 8) if v != NO_MATCH]
        made[FIRST_MATCH + code] = DISCARD[tuple(sorted(match))] if match else 0
    return made


def has_enough(games: DiceGames, styles: Int) -> Bool:
    """Whether the deciding seats quit."""
    rows = entries(games.rows, np.arange(len(games)), games.seat)
    held = np.packbits(rows > 0, axis=1, bitorder="little")[:, 0]
    penalty = SCORE[held]
    limits = np.select([styles == TIMID, styles == FIVE], [20, 5], -1)
    enough = penalty <= limits
    looking = (styles >= CAREFUL).nonzero()[0]
    expected = expected_points(games, rows, held)[looking]
    hope = np.where(styles == SHARP, hopes(games, rows), 0.0)[looking]
    enough[looking] = expected >= penalty[looking] + 2 * hope
    return enough


def sharp_margin(games: DiceGames) -> npt.NDArray[np.float64]:
    """Return the points by which `sharp` rates one more roll above quitting (N,)."""
    rows = entries(games.rows, np.arange(len(games)), games.seat)
    held = np.packbits(rows > 0, axis=1, bitorder="little")[:, 0]
    made: npt.NDArray[np.float64] = SCORE[held] + 2 * hopes(games, rows)
    return made - expected_points(games, rows, held)


def hopes(games: DiceGames, rows: UInt8) -> npt.NDArray[np.float64]:
    """Return the value to `sharp` of later rolls and a token return (N,). It is highest for a short
    row and ten points."""
    points = entries(games.points, np.arange(len(games)), games.seat)
    reward = np.where(points >= 10, 10, np.where(points > 0, 1, 0))
    made: npt.NDArray[np.float64] = (1 + reward / 4) / np.maximum(1, rows.sum(axis=1))
    return made


def expected_points(games: DiceGames, rows: UInt8, held: UInt8) -> npt.NDArray[np.float64]:
    """Return the expected points (N,) of the deciding seats' rows after one more roll."""
    chances = chances_of(games.options["dice.faces"])
    alone = np.bitwise_count(games.active_bits) == 1
    total = chances.matched[np.minimum(rows, MOST) @ PLACES]
    total = total + chances.others[held, games.llama_bits, alone.astype(np.intp)]
    expected: npt.NDArray[np.float64] = total / ROLLS
    return expected


@lru_cache(maxsize=16)
def chances_of(faces: str) -> Chances:
    """Return the tables for dice with these faces."""
    rolls = Counter(tuple(sorted(roll)) for roll in product(*faces_of(faces)))
    numbers = np.arange(SHAPES**VALUES)
    counts = numbers[:, None] // PLACES % SHAPES
    bits = np.arange(1 << VALUES)
    matched = np.zeros(len(numbers), np.int64)
    others = np.zeros((len(bits), len(bits), 2), np.int64)
    for roll, times in rolls.items():
        matched += times * _if_matched(roll, counts)
        others += times * _otherwise(roll, bits)
    return Chances(matched, others)


def _if_matched(roll: tuple[int, ...], counts: Int) -> Int:
    """Return the points after discarding all matches; zero without a match."""
    held = (counts > 0) @ (1 << np.arange(VALUES))
    if roll == (LLAMA,) * 3:
        return SCORE[held]
    left = (counts > np.bincount(roll, minlength=VALUES)) @ (1 << np.arange(VALUES))
    any_match = (held & sum(1 << value for value in set(roll))) != 0
    return np.where(any_match, SCORE[left], 0)


def _otherwise(roll: tuple[int, ...], bits: Int) -> Int:
    """Return the points after taking the cheapest card or a bust; zero where the row matches."""
    if roll == (LLAMA,) * 3:
        return np.zeros((len(bits), len(bits), 2), np.int64)
    rolled = sum(1 << value for value in set(roll))
    held, middle = bits[:, None], bits[None, :]
    lowest = (middle & rolled) & -(middle & rolled)
    bust = SCORE[held | middle]
    taken = np.where(lowest > 0, SCORE[held] + SCORE[lowest], bust)
    unmatched = (held & rolled) == 0
    return np.stack((np.where(unmatched, taken, 0), np.where(unmatched, bust, 0)), axis=2)
