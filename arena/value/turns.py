"""Seats counted from one of them, pairs of seats, and scores within pairs."""

from __future__ import annotations

from functools import cache

import numpy as np

from arena.games.batch.arrays import Index, Int
from arena.value.network import Floats


def order_from(first: Int, seats: int) -> Index:
    """By game: the seats in the order of play, from `first` (N,) on: (N, seats)."""
    order: Index = (first[:, None].astype(np.intp) + np.arange(seats)) % seats
    return order


def back_from(first: Int, seats: int) -> Index:
    """By game and seat: how many places to the left of `first` it sits: (N, seats)."""
    places: Index = (np.arange(seats) - first[:, None].astype(np.intp)) % seats
    return places


@cache
def pairs(seats: int) -> tuple[Index, Index]:
    """The seats of each pair: the one that comes first (P,), and the other (P,)."""
    left, right = np.triu_indices(seats, 1)
    return left, right


def scores_of_points(points: Int) -> Floats:
    """What each seat scores against each other with these final points (N, seats).

    Fewer points score 1, as many one half. (N, seats, seats), with one half on the diagonal.
    """
    mine, theirs = points[:, :, None], points[:, None, :]
    scores: Floats = ((mine < theirs) + 0.5 * (mine == theirs)).astype(np.float32)
    return scores


def scores_of_logits(logits: Floats, seats: int) -> Floats:
    """The scores (N, seats, seats) that logits for each pair (N, P) stand for."""
    made = np.full((len(logits), seats, seats), 0.5, np.float32)
    left, right = pairs(seats)
    score = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
    made[:, left, right], made[:, right, left] = score, 1 - score
    return made


def turned_back(scores: Floats, first: Int) -> Floats:
    """Scores (N, seats, seats) whose seats count from `first`, by seat."""
    seats = scores.shape[1]
    places = back_from(first, seats)
    games = np.arange(len(scores))[:, None, None]
    return scores[games, places[:, :, None], places[:, None, :]]
