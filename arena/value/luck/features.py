"""The inputs of the luck model. It sees all hands, but not the order of the pile.

For each seat there are card counts by steps up the cycle from the top card, the score of the cards
and the tokens. Shared inputs are the top card and the cards in the pile. Seats are in playing order
from the next one to act.

The model is evaluated for one seat at a time, which comes first in its inputs. So it learns the
value of a hand once for all seats.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from arena.games.batch import Games, batch_class
from arena.games.batch.arrays import Index, Int
from arena.games.batch.dice import DiceGames
from arena.games.batch.kadabra import KadabraGames
from arena.games.batch.rounds import TURN
from arena.games.batch.shedding import SheddingGames
from arena.games.batch.tokens import TokenGames
from arena.games.rules.kadabra_tokens import POOL, STAGE
from arena.games.rules.shuffles import SEED_BYTES
from arena.value.cards import CIRCLE, ICONS, values
from arena.value.luck.beliefs import Beliefs
from arena.value.network import Floats
from arena.value.strategies import STYLES
from arena.value.turns import in_order, order_from

Halves: TypeAlias = npt.NDArray[np.float16]


class Features(NamedTuple):
    """Features of states, in 32 or 16 bits. Those of finished games are undefined."""

    by_place: Floats | Halves  # (N, seats, …): in playing order from the next seat to act
    together: Floats | Halves  # (N, …)

    def select(self, rows: Index | slice) -> Features:
        """Return the features of some states."""
        return Features(self.by_place[rows], self.together[rows])

    @property
    def styles(self) -> Floats:
        """The style of each seat (N, seats, S), in playing order from the next one to act."""
        return self.by_place[:, :, -len(STYLES) :].astype(np.float32)

    def inputs(self) -> Floats:
        """Return a row for each place of each state (N · seats, F), with its own columns first."""
        count, seats, width = self.by_place.shape
        own = seats * width
        twice = np.concatenate([self.by_place, self.by_place[:, :-1]], axis=1).reshape(count, -1)
        made = np.empty((count, seats, own + self.together.shape[1] + seats), np.float32)
        made[:, :, :own] = sliding_window_view(twice, own, axis=1)[:, ::width]
        made[:, :, own:-seats] = self.together[:, None]
        made[:, :, -seats:] = np.eye(seats)
        return made.reshape(count * seats, -1)


def features(games: Games, styles: Floats) -> Features:
    """Return the features of states; `styles` (N, seats, S) as from `Beliefs.shares`."""
    if isinstance(games, SheddingGames):
        seats, together = _cards(games)
    elif isinstance(games, DiceGames):
        seats, together = _rows(games)
    else:
        raise TypeError(f"There are no features of {games.rules.title}.")
    seats += [*_tokens(games), styles]
    by_seat = np.concatenate(seats, axis=2, dtype=np.float32)
    turned = in_order(by_seat, order_from(games.seat, games.seats))
    return Features(turned, np.concatenate(together, axis=1, dtype=np.float32, casting="unsafe"))


@cache
def width(game: str, seats: int) -> int:
    """Return the number of inputs."""
    games = batch_class(game)(1, seats, bytes(SEED_BYTES))
    return len(features(games, Beliefs(1, seats).shares()).inputs()[0])


def _tokens(games: Games) -> list[Int]:
    """Return columns of each seat's penalty, activity, points and tokens."""
    points = games.points.astype(np.float32)
    by_seat = [
        games.penalty(np.arange(len(games))) / np.float32(15),
        games.active,
        points / 20,
        np.clip(points, 0, 1),
        np.clip(points - 9, 0, 1),
        np.maximum(points - 30, 0) / 10,
    ]
    if isinstance(games, TokenGames):
        by_seat.append((games.blacks > 0) | (games.whites >= 10))
    if isinstance(games, KadabraGames):
        by_seat.append(games.magic[:, None] == np.arange(games.seats))
    return [np.stack(by_seat, axis=2).astype(np.float32)]


# Games in which cards are played


def _cards(games: SheddingGames) -> tuple[list[Int], list[Int]]:
    value, special = tables(games.rules.kinds)
    hands = games.hands.astype(np.float32)
    held = hands @ value
    left = pile(games).astype(np.float32)
    top = value.take(games.top, axis=0)
    from_top = (top.argmax(axis=1)[:, None] + np.arange(CIRCLE)) % CIRCLE
    by_hand = in_order(held.reshape(-1, CIRCLE), from_top.repeat(games.seats, axis=0))
    near = by_hand.reshape(held.shape)
    near *= games.active[:, :, None] / np.float32(2)
    seats = [near, chains(near), held > 0, hands @ special]
    seats.append(games.sizes[:, :, None] / np.float32(6))
    together = [
        top,
        special.take(games.top, axis=0),
        in_order(left @ value, from_top) / np.float32(4),
        left @ special / np.float32(4),
        left.sum(axis=1, keepdims=True) / np.float32(30),
    ]
    if isinstance(games, KadabraGames):
        together.append(_stage(games))
    return seats, together


def chains(near: Floats) -> Floats:
    """Return how far hands reach (N, seats, 3), given half their card counts by step (N, seats, 7).

    The columns: whether a card is playable; the cards that a seat could play in a row if no other
    seat played; and the last step of that run. They help models to learn from fewer hands.
    """
    there = near > 0
    first = there[:, :, 0] | there[:, :, 1]
    reached = np.logical_and.accumulate(there[:, :, 1:], axis=2)
    cards = near[:, :, 0] + (near[:, :, 1:] * reached).sum(axis=2)
    return np.stack([first, cards / 3, reached.sum(axis=2) / 6], axis=2, dtype=np.float32)


def pile(games: SheddingGames) -> Int:
    """Return the number of cards of each kind in the pile (N, K)."""
    whole = np.bincount(games.deck, minlength=games.hands.shape[2])
    left: Int = whole - games.hands.sum(axis=1, dtype=np.int64) - games.discarded
    return left


@cache
def tables(kinds: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Return the values (K, 7) and the special properties (K, X) of each kind."""
    value = np.zeros((len(kinds), CIRCLE), np.float32)
    for number, kind in enumerate(kinds):
        value[number, [each - 1 for each in values(kind)]] = 1
    marks = [[kind[-1] == icon for icon in ICONS] for kind in kinds]
    rare = [[kind == "pink", "/" in kind] for kind in kinds]
    special = np.array([[*a, *b] for a, b in zip(marks, rare, strict=True)], np.float32)
    return value, special[:, special.any(axis=0)]


def _stage(games: KadabraGames) -> Int:
    """Return columns for the magic stage, the magic token and a running magic show."""
    columns = [
        games.stage_whites / np.float32(5),
        games.stage_blacks,
        games.magic == POOL,
        games.magic == STAGE,
        games.phase != TURN,
    ]
    return np.stack(columns, axis=1).astype(np.float32)


# LAMA Dice


def _rows(games: DiceGames) -> tuple[list[Int], list[Int]]:
    seats = [games.rows / np.float32(2), games.rows > 0, games.sizes[:, :, None] / np.float32(6)]
    several = games.active.sum(axis=1, keepdims=True) > 1
    return seats, [games.llama_row, several]
