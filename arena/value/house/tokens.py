"""What the house bots do with tokens in LLAMA Kadabra: `arena.bots.kadabra`."""

from __future__ import annotations

import numpy as np

from arena.batch import Games
from arena.batch.arrays import Bool, Int
from arena.batch.kadabra import GIVING, SHOW, KadabraGames
from arena.rules.kadabra import COLLECT, FIRST_GIVE, LLAMA, RETURN_MAGIC, SWAP, Kadabra
from arena.rules.shedding import PLAY
from arena.rules.tokens import TEN
from arena.value.house.hand import Hand

LLAMA_PLAYED, ONE_PLAYED = PLAY + LLAMA, Kadabra.notation.index("play 1o")
MOST_POINTS = np.iinfo(np.int16).max


def with_tokens(games: Games, hand: Hand, legal: Bool, chosen: Int, swaps: bool) -> Int:
    """What they do instead of what they chose (N,) as in L.A.M.A., where tokens matter."""
    if not isinstance(games, KadabraGames):
        return chosen
    magic = legal[:, RETURN_MAGIC]
    chosen = np.where((chosen < PLAY) & (games.phase == 0) & magic, RETURN_MAGIC, chosen)
    shows = np.where(legal[:, LLAMA_PLAYED], LLAMA_PLAYED, np.where(magic, RETURN_MAGIC, COLLECT))
    chosen = np.where(games.phase == SHOW, shows, chosen)
    chosen = np.where(games.phase == GIVING, to_leader(games, legal), chosen)
    if not swaps:
        return chosen
    sheds = legal[:, LLAMA_PLAYED] | legal[:, ONE_PLAYED] | (games.phase == GIVING)
    wanted = legal[:, SWAP] & sheds & (games.whites[hand.own] == TEN)
    return np.where(wanted, SWAP, chosen)


def to_leader(games: KadabraGames, legal: Bool) -> Int:
    """The gift to the player in the round with the fewest points, the nearest of equals (N,)."""
    points = games.turned(games.points)[:, 1:]
    allowed = legal[:, FIRST_GIVE : FIRST_GIVE + games.seats - 1]
    gifts: Int = FIRST_GIVE + np.where(allowed, points, MOST_POINTS).argmin(axis=1)
    return gifts
