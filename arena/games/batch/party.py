"""Batch simulation of LAMA Party Edition."""

import numpy as np

from arena.games.batch.arrays import Bool, Index, UInt8
from arena.games.batch.shedding import SheddingGames
from arena.games.rules.party import LLAMA, Party


class PartyGames(SheddingGames):
    """The deck of PARTY-1, with tokens of 1, 10 and 20 points (PARTY-2)."""

    rules = Party

    def after_play(self, games: Index, kinds: UInt8, empty: Bool) -> tuple[Index, Index]:
        """A plus card that is not a player's last gives another turn (PARTY-20 to -25)."""
        plus = (kinds < LLAMA) & (kinds % np.uint8(2) == 1)
        return games[~(empty | plus)], games[empty]
