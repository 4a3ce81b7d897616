"""Alternative outcomes: the state after each possible card, roll or deal."""

from collections import Counter
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from arena.games.batch import Games
from arena.games.batch.arrays import Bool, Index, Int, UInt8, UInt64, entries
from arena.games.batch.chance import SPLIT_MIX, SplitMix
from arena.games.batch.dice import DiceGames
from arena.games.batch.dice_legal import FIRST_MATCH, FIRST_TAKE, NO_MATCH
from arena.games.batch.kadabra import KadabraGames
from arena.games.batch.kadabra_tables import ICONS
from arena.games.batch.shedding import SheddingGames
from arena.games.rules.dice import ROLL
from arena.games.rules.dice_rolls import faces_of
from arena.games.rules.dice_rows import LLAMA
from arena.games.rules.kadabra_cards import NEXT_DRAWS
from arena.games.rules.shedding import DRAW, PLAY
from arena.value.luck.features import pile

DEALS = 48  # divided by the number of seats: other deals that a deal is compared with
ROLLS = 216


class Branches(NamedTuple):
    """States that can follow from others."""

    games: Games  # (B,): after the event; branches of one origin are contiguous
    origin: Index  # (B,): the number of the state before the event
    weight: npt.NDArray[np.float64]  # (B,): probability; adds up to 1 by origin
    came: Index  # (N,): the actual branch of each origin


def chance_decides(games: Games, actions: UInt8) -> Bool:
    """Whether the results of these actions depend on a card or on dice (N,)."""
    if isinstance(games, DiceGames):
        rolls: Bool = actions == ROLL
        return rolls
    decides: Bool = actions == DRAW
    if isinstance(games, KadabraGames):
        made_to = np.zeros(256, np.bool_)
        made_to[PLAY : PLAY + len(games.rules.kinds)] = ICONS[NEXT_DRAWS]
        decides = decides | (made_to[actions] & (games.drawn < len(games.deck)))
    return decides


def branches(games: Games, actions: UInt8, faces: Int) -> Branches:
    """Return the possible results of these actions, all of which depend on cards or dice.

    `faces` (N, 3) are the actual faces of the dice in LAMA Dice. The branches are played on to the
    next decision.
    """
    if isinstance(games, DiceGames):
        return _rolls(games, actions, faces)
    assert isinstance(games, SheddingGames)
    return _draws(games, actions)


def _draws(games: SheddingGames, actions: UInt8) -> Branches:
    """Return a branch for each kind of card that is left in the pile."""
    left = pile(games)
    origin, kinds = np.nonzero(left)
    made = games.select(origin)
    made.chance = SPLIT_MIX
    made.decks[np.arange(len(made)), made.drawn] = kinds
    drawn = entries(games.decks, np.arange(len(games)), games.drawn)
    came = np.flatnonzero(kinds == drawn[origin])
    made.perform(actions[origin])
    made.is_offered = False
    weight = left[origin, kinds] / left.sum(axis=1)[origin]
    return Branches(made, origin, weight, came)


def deals(games: Games, seeds: UInt64) -> Branches:
    """Return other deals for rounds that have just started, from separate seeds (N, 2). The actual
    deal is among the branches, with weight 0."""
    count = DEALS // games.seats
    origin = np.repeat(np.arange(len(games)), count + 1)
    number = np.tile(np.arange(count + 1), len(games))
    made = games.select(origin)
    others = np.flatnonzero(number < count)
    which = games.round[origin[others]].astype(np.int64) * 4096 + number[others]
    decks = SPLIT_MIX.decks(seeds[origin[others]], which, games.make_deck())
    made.deal_cards(others, decks)
    made.is_offered = False
    weight = np.where(number < count, 1 / count, 0.0)
    return Branches(made, origin, weight, np.flatnonzero(number == count))


# Rolls that leave the player the same choices are one branch


class FixedFaces(SplitMix):
    """Dice that show given faces, in the order of the dice."""

    def __init__(self, faces: Int) -> None:
        self._faces = faces

    def faces(self, seeds: UInt64, rounds: Int, rolls: Int) -> Int:
        return self._faces


class Outcomes(NamedTuple):
    """The different rolls of three dice."""

    faces: Int  # (O, 3): the numbers of faces that give it
    values: Int  # (O, 3): the values on these faces, ascending
    weight: npt.NDArray[np.float64]  # (O,): its probability


@lru_cache(maxsize=16)
def outcomes(faces: str) -> Outcomes:
    """Return the outcomes of dice with these faces."""
    dice = faces_of(faces)
    shown: Counter[tuple[int, ...]] = Counter()
    example: dict[tuple[int, ...], tuple[int, ...]] = {}
    for numbers in product(range(6), repeat=3):
        values = tuple(sorted(die[n] for die, n in zip(dice, numbers, strict=True)))
        shown[values] += 1
        example[values] = numbers
    weight = np.array(list(shown.values())) / ROLLS
    return Outcomes(np.array(list(example.values())), np.array(list(shown)), weight)


def _rolls(games: DiceGames, actions: UInt8, faces: Int) -> Branches:
    possible = outcomes(games.options["dice.faces"])
    codes = codes_of(games, possible.values[None])
    shown = np.sort(games.faces[np.arange(3), faces].astype(np.int64), axis=1)
    actual = codes_of(games, shown[:, None, :])[:, 0]
    order = codes.argsort(axis=1, kind="stable")
    ordered = np.take_along_axis(codes, order, axis=1)
    first = np.ones(codes.shape, np.bool_)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    origin, place = np.nonzero(first)
    weight = np.add.reduceat(possible.weight[order].ravel(), np.flatnonzero(first.ravel()))
    made = games.select(origin)
    made.chance = FixedFaces(possible.faces[order[origin, place]])
    made.perform(actions[origin])
    made.is_offered = False
    came = np.flatnonzero(ordered[origin, place] == actual[origin])
    return Branches(made, origin, weight, came)


def codes_of(games: DiceGames, values: Int) -> Int:
    """Return a code (N, O) of the choices that each sorted roll (N or 1, O, 3) allows. It is 0 for
    three llamas, 1 for a bust, and otherwise the number of the set of legal actions."""
    rows = entries(games.rows, np.arange(len(games)), games.seat)
    values = np.broadcast_to(values, (len(games), *values.shape[1:]))
    held = np.take_along_axis(rows, values.reshape(len(games), -1), axis=1).reshape(values.shape)
    used = np.zeros(values.shape, np.uint8)  # earlier dice with the same value
    used[:, :, 1] = values[:, :, 1] == values[:, :, 0]
    used[:, :, 2] = (values[:, :, 2] == values[:, :, 1]) * (1 + used[:, :, 1])
    match = np.sort(np.where(held > used, values, NO_MATCH), axis=2)
    discard = FIRST_MATCH + (match @ np.array([64, 8, 1]))
    shown = (1 << values).astype(np.int64)
    row = games.llama_bits.astype(np.int64)[:, None]
    take = (shown[:, :, 0] | shown[:, :, 1] | shown[:, :, 2]) & row
    alone = np.bitwise_count(games.active_bits)[:, None] == 1
    other = np.where((take == 0) | alone, 1, FIRST_TAKE + take)
    codes: Int = np.where(match[:, :, 0] < NO_MATCH, discard, other)
    codes[(values == LLAMA).all(axis=2)] = 0
    return codes.astype(np.int16)
