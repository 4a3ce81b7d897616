"""The scatter of results between deals, around the scores that strengths predict.

See `sandwich` for its use and the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.tournaments.ratings.deal_sums import DealGroup, Integers, pair_columns
from arena.tournaments.ratings.games import UNIT, places, weight
from arena.tournaments.ratings.solve import Floats

WEIGHS = 0.01  # leverage of a deal below which A changes a variance by less than one percent
SERIES = (1.0, 1 / 2, 3 / 8, 5 / 16, 35 / 128)  # (1 - L)^(-1/2) as a power series in L


def scatter(
    groups: Sequence[DealGroup], players: Integers, strengths: Floats, bread: Floats
) -> Floats:
    """Returns the sum over deals of A u u^T A^T, (P, P)."""
    size = len(players)
    own = np.diag(bread)
    apart = own[:, None] + own[None, :] - 2.0 * bread
    total = np.zeros(size * size)
    for group in groups:
        seated = places(players, group.players)
        shares = _shares(group, strengths[seated])
        blocks = _blocks(group, shares) * (weight(group.seats) / UNIT) ** 2 / 4
        _correct(blocks, group, seated, shares, bread, apart)
        place = seated[:, :, None] * size + seated[:, None, :]
        total += np.bincount(place.ravel(), weights=blocks.ravel(), minlength=size * size)
    return total.reshape(size, size)


def _shares(group: DealGroup, strengths: Floats) -> Floats:
    """Returns by composition and pair the expected score of the first."""
    one, other = (
        np.array(list(pair_columns(group.players.shape[1])), dtype=np.int64).reshape(-1, 2).T
    )
    difference = np.clip(strengths[:, other] - strengths[:, one], -700.0, 700.0)
    return np.asarray(1.0 / (1.0 + np.exp(difference)))


def _blocks(group: DealGroup, shares: Floats) -> Floats:
    """Returns by composition the block (k, k) of the sum over deals of (s - e)(s - e)^T."""
    count, seated = group.players.shape
    s, e = np.zeros((count, seated)), np.zeros((count, seated))
    for column, (one, other) in enumerate(pair_columns(seated)):
        met, won = group.meetings[:, column], group.values[:, column]
        share = shares[:, column]
        s[:, one] += won
        s[:, other] += 2 * met * group.deals - won
        e[:, one] += 2 * met * share
        e[:, other] += 2 * met * (1 - share)
    rows, columns = np.triu_indices(seated)
    squares = group.values[:, -len(rows) :]
    block = np.zeros((count, seated, seated))
    for place, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        block[:, i, j] = (
            squares[:, place]
            - s[:, i] * e[:, j]
            - e[:, i] * s[:, j]
            + group.deals * e[:, i] * e[:, j]
        )
        block[:, j, i] = block[:, i, j]
    return block


def _correct(
    blocks: Floats, group: DealGroup, seated: Integers, shares: Floats, bread: Floats, apart: Floats
) -> None:
    """Replaces B by A B A^T for compositions whose deals have substantial leverage."""
    informs = group.meetings * shares * (1 - shares) * (weight(group.seats) / UNIT)
    leverage = np.zeros(len(seated))
    columns = list(pair_columns(seated.shape[1]))
    for column, (one, other) in enumerate(columns):
        leverage += informs[:, column] * apart[seated[:, one], seated[:, other]]
    rows = np.flatnonzero(leverage > WEIGHS)
    if not len(rows):
        return
    among = np.zeros((len(rows), seated.shape[1], seated.shape[1]))
    for column, (one, other) in enumerate(columns):
        informed = informs[rows, column]
        for i, j, sign in ((one, one, 1), (other, other, 1), (one, other, -1), (other, one, -1)):
            among[:, i, j] += sign * informed
    players = seated[rows]
    lever = among @ bread[players[:, :, None], players[:, None, :]]
    unit = np.eye(seated.shape[1])
    adjust = SERIES[-1] * unit
    for factor in SERIES[-2::-1]:
        adjust = factor * unit + lever @ adjust
    blocks[rows] = adjust @ blocks[rows] @ adjust.transpose(0, 2, 1)
