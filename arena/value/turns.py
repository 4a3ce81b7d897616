"""Seats counted from one of them, pairs of seats, and scores within pairs."""

from functools import cache

import numpy as np

from arena.games.batch.arrays import Array, Index, Int, entries
from arena.value.network import Floats


def order_from(first: Int, seats: int) -> Index:
    """Return the seats in playing order from `first` (N,) on: (N, seats)."""
    order: Index = (first[:, None].astype(np.intp) + np.arange(seats)) % seats
    return order


def in_order(array: Array, order: Index) -> Array:
    """Reorder each row of an array (N, K, …) by `order` (N, K), for seats as from `order_from`."""
    return entries(array, np.arange(len(order))[:, None], order)


def back_from(first: Int, seats: int) -> Index:
    """Return how many places after `first` (N,) each seat plays: (N, seats)."""
    places: Index = (np.arange(seats) - first[:, None].astype(np.intp)) % seats
    return places


@cache
def pairs(seats: int) -> tuple[Index, Index]:
    """Return the lower seat (P,) and the higher seat (P,) of each pair."""
    left, right = np.triu_indices(seats, 1)
    return left, right


def scores_of_points(points: Int) -> Floats:
    """Return the scores (N, seats, seats) of seats against each other for final points (N, seats).
    Fewer points score 1, and equal points one half. The diagonal is one half."""
    mine, theirs = points[:, :, None], points[:, None, :]
    scores: Floats = ((mine < theirs) + 0.5 * (mine == theirs)).astype(np.float32)
    return scores


def scores_of_logits(logits: Floats, seats: int) -> Floats:
    """Return the scores (N, seats, seats) for logits of each pair (N, P)."""
    made = np.full((len(logits), seats, seats), 0.5, np.float32)
    left, right = pairs(seats)
    score = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
    made[:, left, right], made[:, right, left] = score, 1 - score
    return made


def turned_back(scores: Floats, first: Int) -> Floats:
    """Reorder scores (N, seats, seats) of places from `first` on by seat."""
    seats = scores.shape[1]
    places = back_from(first, seats)
    rows = np.arange(len(scores))[:, None, None] * seats + places[:, :, None]
    return entries(scores.reshape(-1, seats), rows, places[:, None, :])
