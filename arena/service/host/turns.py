"""Orders authors fairly, regardless of how much each requests."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

MOST_AUTHORS = 10_000


class Turns:
    """Remembers when authors were last served, for the `most` served last."""

    def __init__(self, most: int = MOST_AUTHORS) -> None:
        self._most = most
        self._turns: dict[int, int] = {}  # by author: the number of the last turn, ascending
        self._numbers = count(1)

    def in_order(self, authors: Iterable[int]) -> list[int]:
        """Sorts authors by their last turn, the longest ago first; ties keep their order."""
        return sorted(authors, key=lambda author: self._turns.get(author, 0))

    def took(self, author: int) -> None:
        """Notes that this author was served."""
        self._turns.pop(author, None)
        self._turns[author] = next(self._numbers)
        if len(self._turns) > self._most:
            del self._turns[next(iter(self._turns))]
