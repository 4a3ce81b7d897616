"""The strategies of house bots for LAMA Dice: `arena.bots.dice`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from arena.batch import Games
from arena.batch.arrays import Bool, Index, Int, as_flags, several
from arena.batch.dice import CARDS_OF, DISCARD, SIZES, TAKING, VALUES, DiceGames, legal_sets
from arena.batch.rounds import TURN
from arena.rules.dice import FIRST_DISCARD, LLAMA, QUIT, ROLL, SCORES, faces_of
from arena.rules.tokens import TEN
from arena.value.policy import Policy

Float: TypeAlias = npt.NDArray[np.float64]
Enough: TypeAlias = Callable[[DiceGames, Index], Bool]  # where to quit, among these games (M,)

POINTS = np.array(SCORES, np.int16)  # by value
ROLLS = 216
WORST = -1


@dataclass(frozen=True)
class DiceStyle:
    """A strategy of a house bot, as a Policy."""

    has_enough: Enough

    def __call__(self, games: Games, rng: np.random.Generator) -> Int:
        """Rolls or quits; discards the most, takes the cheapest, returns the highest token."""
        dice = cast(DiceGames, games.offered())
        counts, actions, _ = legal_sets()
        sets = dice.legal_sets
        chosen: Int = actions[sets, np.maximum(counts[sets], 1) - 1].astype(np.intp)
        turns = np.flatnonzero(dice.phase == TURN)
        chosen[turns] = np.where(self.has_enough(dice, turns), QUIT, ROLL)
        discarding = np.flatnonzero(dice.phase == DISCARD)
        chosen[discarding] = best_discards(dice, discarding)
        taking = np.flatnonzero(dice.phase == TAKING)
        chosen[taking] = actions[sets[taking], 0]
        return chosen


def own_rows(games: DiceGames, among: Index) -> Int:
    """The open cards of the deciding seats by value: (M, 7)."""
    rows: Int = games.rows[among, games.seat[among]].astype(np.int16)
    return rows


def score(rows: Int) -> Int:
    """Each value counts once: (…, 7) to (…)."""
    scored: Int = (rows > 0).astype(np.int16) @ POINTS
    return scored


def best_discards(games: DiceGames, among: Index) -> Int:
    """The discard that saves the most points, then with the most cards, then the first: (M,)."""
    counts, actions, _ = legal_sets()
    sets = games.legal_sets[among]
    offered = actions[sets]
    which = np.clip(offered.astype(np.intp) - FIRST_DISCARD, 0, len(SIZES) - 1)
    left = own_rows(games, among)[:, None] - CARDS_OF[which].astype(np.int16)
    quality = -score(left).astype(np.int32) * VALUES + SIZES[which]
    there = np.arange(offered.shape[1]) < counts[sets][:, None]
    best = np.where(there, quality, np.iinfo(np.int32).min).argmax(axis=1)
    chosen: Int = offered[np.arange(len(among)), best]
    return chosen


# When each has enough


def never(games: DiceGames, among: Index) -> Bool:
    """Rolls on."""
    return np.zeros(len(among), np.bool_)


def at_most(points: int) -> Enough:
    """Quits with so few points."""
    return lambda games, among: score(own_rows(games, among)) <= points


def careful(games: DiceGames, among: Index) -> Bool:
    """Quits when it expects the next roll to cost points."""
    enough: Bool = expected(games, among) >= score(own_rows(games, among))
    return enough


def sharp(games: DiceGames, among: Index) -> Bool:
    """Risks more with a short row, which may soon earn a return, most with ten points."""
    rows, held = own_rows(games, among), games.points[among, games.seat[among]]
    reward = np.where(held >= TEN, 10, np.where(held > 0, 1, 0))
    hope = (1 + reward / 4) / np.maximum(1, rows.sum(axis=1))
    enough: Bool = expected(games, among) >= score(rows) + 2 * hope
    return enough


def expected(games: DiceGames, among: Index) -> Float:
    """The expected points of the deciding seats' rows after one more roll: (M,)."""
    rows, faces = own_rows(games, among), games.options["dice.faces"]
    llama_row = as_flags(games.llama_bits[among], VALUES)
    now, bust = score(rows), score(rows + llama_row)
    alone = ~several(games.active_bits[among])
    cheapest = np.where(llama_row & ~alone[:, None], POINTS, WORST)
    total = np.zeros(len(among), np.int32)
    for roll, count in rolls_of(faces):
        total += count * after(rows, now, bust, cheapest, roll)
    return total / ROLLS


def after(rows: Int, now: Int, bust: Int, cheapest: Int, roll: tuple[int, ...]) -> Int:
    """The points after the best use of a roll: (M,)."""
    if roll == (LLAMA,) * 3:
        return now
    saved, match, take = np.zeros_like(now), np.zeros(len(now), np.bool_), np.full_like(now, 99)
    for value, dice in Counter(roll).items():
        held = rows[:, value]
        saved += POINTS[value] * ((held > 0) & (held <= dice))
        match |= held > 0
        may = cheapest[:, value] != WORST
        take = np.where(may, np.minimum(take, POINTS[value]), take)
    return np.where(match, now - saved, np.where(take < 99, now + take, bust))


@cache
def rolls_of(faces: str) -> list[tuple[tuple[int, ...], int]]:
    """How many of the 216 outcomes give each sorted roll."""
    return list(Counter(tuple(sorted(roll)) for roll in product(*faces_of(faces))).items())


DICE_STYLES: dict[str, Policy] = {
    "timid": DiceStyle(at_most(20)),
    "stubborn": DiceStyle(never),
    "five": DiceStyle(at_most(5)),
    "careful": DiceStyle(careful),
    "sharp": DiceStyle(sharp),
}
