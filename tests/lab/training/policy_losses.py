"""Losses of policies; see `fit.Loss`."""

import numpy as np

from arena.games.batch.arrays import Index
from arena.value.network import Floats
from arena.value.policy_net import likelihoods
from tests.lab.training.tables import Judged

SCALE = 0.02  # difference in score per unit of a logit


class Advantage:
    """The squared error of logits, whose targets are the advantages of legal actions / SCALE.

    An action that is a few hundredths worse becomes unlikely, a close one does not.
    """

    def __init__(self, judged: Judged) -> None:
        self._judged = judged

    def __call__(self, logits: Floats, rows: Index) -> tuple[float, Floats]:
        """The mean loss, and its gradient."""
        legal, worth = self._judged.legal[rows], self._judged.worth[rows]
        count = legal.sum(axis=1, keepdims=True)
        mean = np.where(legal, logits, 0).sum(axis=1, keepdims=True) / count
        error = np.where(legal, logits - mean - worth / np.float32(SCALE), 0)
        slopes = error / np.float32(len(rows))
        return float((error**2).sum(axis=1).mean()) / 2, slopes.astype(np.float32)


class Expected:
    """The negative expected value of a choice by the probabilities of the logits.

    It is linear in the values of actions, so their errors cancel out over many decisions.
    """

    def __init__(self, judged: Judged) -> None:
        self._judged = judged

    def __call__(self, logits: Floats, rows: Index) -> tuple[float, Floats]:
        """The mean loss, and its gradient."""
        legal, worth = self._judged.legal[rows], self._judged.worth[rows]
        shares = likelihoods(np.where(legal, logits, -np.inf).astype(np.float32))
        mean = (shares * worth).sum(axis=1, keepdims=True)
        slopes = shares * (mean - worth) / np.float32(len(rows) * SCALE)
        return -float(mean.mean()), slopes.astype(np.float32)
