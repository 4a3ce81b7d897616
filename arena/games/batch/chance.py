"""Shuffles and rolls, which depend only on a game's seed, not on the players' actions.

`SPLIT_MIX` is fast: SplitMix64 with a separate stream for each game, round and roll.
`AS_IN_ARENA` gives the same cards as an arena match with the same seed. It is much slower, and
meant for tests and for comparing games with recorded ones.
"""

from typing import Protocol

import numpy as np

from arena.games.batch.arrays import Bool, Int, UInt8, UInt64
from arena.games.rules.dice_rolls import rolled
from arena.games.rules.shuffles import shuffled

GAMMA = np.uint64(0x9E3779B97F4A7C15)  # the step of SplitMix64
# Purposes, for separate streams.
SEEDS, DECKS, ROLLS, HIDDEN = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
KIND_BITS = 5  # low bits of a card's sort key, which hold the card; the other 27 are random
BLOCK = 512  # decks shuffled at once, so that their keys stay in the CPU cache
FACE_NUMBERS = (tuple(range(6)),) * 3


class Chance(Protocol):
    """Shuffles and rolls for M games. Each seed has 16 bytes, as two numbers."""

    def decks(self, seeds: UInt64, rounds: Int, deck: UInt8) -> UInt8:
        """Returns `deck` (D,) shuffled for these rounds (from 1), (M, D), top first."""

    def faces(self, seeds: UInt64, rounds: Int, rolls: Int) -> Int:
        """Returns the face (0 to 5) of each of three dice in this roll (from 1), (M, 3)."""


def mixed(numbers: UInt64) -> UInt64:
    """Applies the output function of SplitMix64 in place."""
    shifted = numbers >> np.uint64(30)
    numbers ^= shifted
    numbers *= np.uint64(0xBF58476D1CE4E5B9)
    np.right_shift(numbers, np.uint64(27), out=shifted)
    numbers ^= shifted
    numbers *= np.uint64(0x94D049BB133111EB)
    np.right_shift(numbers, np.uint64(31), out=shifted)
    numbers ^= shifted
    return numbers


def stream(seeds: UInt64, purpose: np.uint64, number: Int) -> UInt64:
    """Returns the start of each seed's (M, 2) stream for this purpose and number, (M,)."""
    start = mixed(seeds[:, 0] + (number.astype(np.uint64) * np.uint64(4) + purpose) * GAMMA)
    start ^= seeds[:, 1]
    return mixed(start)


def words(start: UInt64, count: int) -> UInt64:
    """Returns the next `count` numbers of streams, (M, count)."""
    steps = np.arange(1, count + 1, dtype=np.uint64) * GAMMA
    return mixed(start[:, None] + steps)


def derived_seeds(seed: bytes, first: int, count: int) -> UInt64:
    """Returns a batch's seeds from number `first` on, derived from its seed, (count, 2)."""
    base = np.frombuffer(seed, dtype="<u8").astype(np.uint64)[None, :]
    numbers = np.arange(first, first + count, dtype=np.uint64)
    return words(stream(base, SEEDS, numbers), 2)


def sorted_by_chance(start: UInt64, cards: UInt8, last: Bool) -> UInt8:
    """Returns the cards of each row (M, D), with those of `last` (M, D) shuffled to the end."""
    keys = words(start, (cards.shape[1] + 1) // 2).view(np.uint32)[:, : cards.shape[1]]
    keys >>= np.uint32(KIND_BITS + 1)
    keys |= last.astype(np.uint32) << np.uint32(31 - KIND_BITS)
    keys <<= np.uint32(KIND_BITS)
    keys |= cards
    keys.sort(axis=1)
    return (keys & np.uint32((1 << KIND_BITS) - 1)).astype(np.uint8)


class SplitMix:
    """Shuffles by random sort keys. Equal keys cause a bias below 2⁻²⁷ for a pair of cards."""

    def decks(self, seeds: UInt64, rounds: Int, deck: UInt8) -> UInt8:
        start = stream(seeds, DECKS, rounds)
        shuffled_decks = np.empty((len(start), len(deck)), np.uint8)
        for first in range(0, len(start), BLOCK):
            block = slice(first, first + BLOCK)
            keys = words(start[block], (len(deck) + 1) // 2).view(np.uint32)[:, : len(deck)]
            keys &= np.uint32(0xFFFFFFFF << KIND_BITS & 0xFFFFFFFF)
            keys |= deck
            keys.sort(axis=1)
            shuffled_decks[block] = keys & np.uint32((1 << KIND_BITS) - 1)
        return shuffled_decks

    def faces(self, seeds: UInt64, rounds: Int, rolls: Int) -> Int:
        numbers = rounds.astype(np.uint64) << np.uint64(32) | rolls.astype(np.uint64)
        random = words(stream(seeds, ROLLS, numbers), 3) >> np.uint64(32)
        return (random * np.uint64(6) >> np.uint64(32)).astype(np.intp)


class AsInArena:
    """The shuffles and rolls of `arena.games.rules`, one game at a time."""

    def decks(self, seeds: UInt64, rounds: Int, deck: UInt8) -> UInt8:
        cards = deck.tolist()
        dealt = [
            shuffled(seed.tobytes(), int(number), cards)
            for seed, number in zip(seeds.astype("<u8"), rounds, strict=True)
        ]
        return np.array(dealt, np.uint8).reshape(len(seeds), len(deck))

    def faces(self, seeds: UInt64, rounds: Int, rolls: Int) -> Int:
        shown = [
            rolled(seed.tobytes(), int(number), int(roll), FACE_NUMBERS)
            for seed, number, roll in zip(seeds.astype("<u8"), rounds, rolls, strict=True)
        ]
        return np.array(shown, np.intp).reshape(len(seeds), 3)


SPLIT_MIX = SplitMix()
AS_IN_ARENA = AsInArena()
