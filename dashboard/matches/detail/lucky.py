"""What chance gave each seat in a match, as it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.store.matches.luck import StoredLuck
from arena.store.matches.matches import StoredMatch
from arena.tournaments.ratings.match_luck import GAME, KINDS


@dataclass(frozen=True)
class ShownLuck:
    """By seat the luck against the mean opponent, in all and by kind of event (those there were);
    who won with how much of it, as a sentence; the model."""

    all: list[float]
    kinds: dict[str, list[float]]
    sentence: str
    model: str


def luck_of(match: StoredMatch, known: StoredLuck) -> ShownLuck:
    """The luck of a match."""
    whole = GAME * max(len(match.seats) - 1, 1)
    kinds = {
        kind: (row / whole).tolist()
        for kind, row in zip(KINDS, known.luck.kinds, strict=True)
        if row.any()
    }
    scores = list(known.luck.scores)
    return ShownLuck(scores, kinds, _sentence(match, scores), known.model)


def _how(luck: float) -> str:
    if f"{abs(luck):.2f}" == "0.00":
        return "with neither good nor bad luck"
    return f"with {luck:.2f} of luck" if luck > 0 else f"in spite of {-luck:.2f} of bad luck"


def _sentence(match: StoredMatch, scores: Sequence[float]) -> str:
    won = [
        f"{seat.bot} won {_how(luck)}"
        for seat, luck in zip(match.seats, scores, strict=True)
        if seat.rank == 1 and not seat.forfeited
    ]
    return f"{', and '.join(won)}." if won else "Nobody won."
