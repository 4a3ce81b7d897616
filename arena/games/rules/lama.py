"""L.A.M.A., the base game."""

from typing import Final

from arena.games.rules.shedding import PLAY, SheddingGame

CARDS: Final = ("1", "2", "3", "4", "5", "6", "llama")


class Lama(SheddingGame):
    """Eight each of 1 to 6 and of the llama (LAMA-1); tokens of 1 and 10 points (LAMA-2)."""

    name = "lama"
    title = "L.A.M.A."
    ruleset = "lama/1"
    typical_decisions = (98, 98, 107, 114, 119)

    kinds = CARDS
    deck = tuple(kind for kind in range(7) for _ in range(8))
    values = (1, 2, 3, 4, 5, 6, 10)
    returns = (1, 10)

    # The same value or the next one; the llama follows 6, and 1 follows the llama (LAMA-6, -7).
    follows = tuple((kind, (kind + 1) % 7) for kind in range(7))

    __slots__ = ()

    def next_starter(self) -> int:
        """Returns the last player of a card (LAMA-31, -32), else the last to act (LAMA-33)."""
        plays = [seat for seat, action in self.log.moves if PLAY <= action < self.keep]
        return plays[-1] if plays else self.last_actor
