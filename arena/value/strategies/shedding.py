"""Strategies for L.A.M.A., LAMA Party Edition and LLAMA Kadabra; see `arena.bots`."""

from collections.abc import Sequence
from functools import cache, reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from arena.games.batch.arrays import Bool, Index, Int, Int16, UInt8, as_flags, entries
from arena.games.batch.kadabra import KadabraGames
from arena.games.batch.kadabra_tables import penalties
from arena.games.batch.rounds import RETURN
from arena.games.batch.shedding import SheddingGames, scores
from arena.games.rules.kadabra import COLLECT, FIRST_GIVE, RETURN_MAGIC, SWAP, Kadabra
from arena.games.rules.kadabra_cards import LLAMA
from arena.games.rules.party import Party
from arena.games.rules.shedding import DRAW, PLAY, QUIT
from arena.value.cards import steps, worth
from arena.value.strategies.styles import CAREFUL, FIVE, SHARP, STUBBORN, STYLES, TIMID

CHUNK = 10  # kinds in one table of `lowest`
NONE = 65_535  # in those tables: an empty set
KIND = 31  # the bits of a rank that hold the kind
FAR = 99
ALONE = 6  # assumed size of the others' hands when all others have quit

Ranks: TypeAlias = npt.NDArray[np.uint16]


def choose(games: SheddingGames, styles: Int) -> Int:
    """Return an action for each game (N,)."""
    bits = games.offered().legal_bits
    kinds = len(games.rules.kinds)
    plays = bits >> PLAY & bits.dtype.type((1 << kinds) - 1)
    ranks = lowest(ranking(games.rules.kinds), styles.astype(np.intp) * kinds + games.top, plays)
    chosen: Int = (ranks & KIND).astype(np.intp) + PLAY
    unable = (ranks == NONE).nonzero()[0]
    chosen[unable] = QUIT
    drawing = unable[(bits[unable] >> DRAW & 1) != 0]
    chosen[drawing] = np.where(has_enough(games, drawing, styles[drawing]), QUIT, DRAW)
    if isinstance(games, KadabraGames):
        use_tokens(games, styles, chosen)
    back = (games.phase == RETURN).nonzero()[0]
    if len(back):
        chosen[back] = highest_return(games, back)
    return chosen


def lowest(tables: Sequence[Ranks], rows: Index, sets: Int) -> Ranks:
    """Return the lowest number in table rows (N,) among sets of kinds (N,), given as bits."""
    found: Ranks = np.full(len(rows), NONE, np.uint16)
    for number, table in enumerate(tables):
        width = table.shape[1]
        part = (sets >> number * CHUNK).astype(np.intp) & width - 1
        np.minimum(found, table.reshape(-1).take(rows * width + part), out=found)
    return found


def by_set(numbers: Int) -> list[Ranks]:
    """Turn numbers by row and kind (R, K) into tables of the lowest by row and set of kinds. Each
    table (R, 2^k) covers k kinds. The empty set has NONE."""
    tables = []
    for first in range(0, numbers.shape[1], CHUNK):
        some = numbers[:, first : first + CHUNK].astype(np.uint16)
        table: Ranks = np.full((len(some), 1 << some.shape[1]), NONE, np.uint16)
        for bit in range(some.shape[1]):
            half = 1 << bit
            table[:, half : 2 * half] = np.minimum(table[:, :half], some[:, bit, None])
        tables.append(table)
    return tables


@cache
def ranking(kinds: tuple[str, ...]) -> list[Ranks]:
    """Return tables of ranks for playing cards, in rows by style and top kind. The lowest rank is
    played first. Its last bits are the kind."""
    cheap = [[worth(kind) for kind in kinds]] * len(kinds)
    near = [[steps(kind, top) for kind in kinds] for top in kinds]
    made = np.array([near if s in (TIMID, CAREFUL, SHARP) else cheap for s in range(len(STYLES))])
    if kinds == Party.kinds:
        order = [0 if kind[-1] == "+" else 200 if kind == "pink" else 100 for kind in kinds]
        guests = [style for style in range(len(STYLES)) if style != STUBBORN]
        made[guests] = made[guests] + np.array(order)
    return by_set((made << KIND.bit_length() | np.arange(len(kinds))).reshape(-1, len(kinds)))


def has_enough(games: SheddingGames, chosen: Index, styles: Int) -> Bool:
    """Whether the deciding seats of these games (M,) quit rather than draw."""
    enough: Bool = penalty(games, chosen) <= limits(games, chosen, styles)
    return enough


LIMITS = np.full(len(STYLES), -1.0)
LIMITS[TIMID], LIMITS[FIVE] = 20.0, 5.0


def limits(games: SheddingGames, chosen: Index, styles: Int) -> npt.NDArray[np.float64]:
    """Return the most points with which the deciding seats of these games (M,) quit."""
    limit = LIMITS[styles]
    careful = (styles >= CAREFUL).nonzero()[0]
    limit[careful] = 10.0 - shortest_hand(games, chosen[careful])
    sharp = (styles == SHARP).nonzero()[0]
    limit[sharp] = sharp_limit(games, chosen[sharp], limit[sharp] - 1)
    return limit


def sharp_limit(
    games: SheddingGames, chosen: Index, limit: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the limit of `sharp`, lower with a soon playable card and with ten points."""
    seats = games.seat[chosen]
    tops, held = games.top[chosen].astype(np.intp), entries(games.held, chosen, seats)
    nearest = np.minimum(lowest(distances(games.rules.kinds), tops, held), FAR)
    made: npt.NDArray[np.float64] = limit + 0.7 * (nearest - 4.0)
    made -= 2 * (entries(games.points, chosen, seats) >= 10)
    return made


@cache
def distances(kinds: tuple[str, ...]) -> list[Ranks]:
    """Return tables of the steps up the cycle to the nearest kind, in rows by top kind."""
    return by_set(np.array([[steps(kind, top) for kind in kinds] for top in kinds]))


def shortest_hand(games: SheddingGames, chosen: Index) -> Int:
    """Return the size of the shortest hand of other active players, or ALONE without any."""
    others = games.active_bits[chosen] & ~(np.uint8(1) << games.seat[chosen].astype(np.uint8))
    sizes = games.sizes.take(chosen, axis=0) | absent(games.seats).take(others, axis=0)
    shortest: Int = reduce(np.minimum, sizes.T)  # faster than a minimum along a short axis
    shortest[others == 0] = ALONE
    return shortest


@cache
def absent(seats: int) -> UInt8:
    """Return 255 for each seat that is not set, by seats as bits (2^seats, seats)."""
    return np.where(as_flags(np.arange(1 << seats), seats), 0, 255).astype(np.uint8)


def penalty(games: SheddingGames, chosen: Index) -> Int16:
    """Return the penalty of the deciding seats' hands."""
    held = entries(games.held, chosen, games.seat[chosen])
    if not isinstance(games, KadabraGames):
        return scores(games.rules.penalty, len(games.rules.kinds))[held]
    return penalties(held)


def highest_return(games: SheddingGames, chosen: Index) -> Int:
    """Return the action that returns the highest token."""
    keep = games.rules.keep
    bits = as_flags(games.legal_bits[chosen] >> keep, len(games.rules.returns) + 1)
    highest: Int = keep + bits.shape[1] - 1 - bits[:, ::-1].argmax(axis=1)
    return highest


# Only in LLAMA Kadabra

# Plays that cost a token, as bits.
COSTLY = np.uint64(1 << PLAY + LLAMA | 1 << PLAY + Kadabra.kinds.index("1o"))


def use_tokens(games: KadabraGames, styles: Int, chosen: Int) -> None:
    """Change the chosen actions for magic shows, gifts, the magic token and swaps."""
    bits = games.legal_bits
    special = (bits >> FIRST_GIVE).nonzero()[0]  # usually few
    if not len(special):
        return
    bits, made, phases = bits[special], chosen[special], games.phase[special]
    magic, llama = ((bits >> action & 1) != 0 for action in (RETURN_MAGIC, PLAY + LLAMA))
    made[magic & (made <= DRAW)] = RETURN_MAGIC
    show = (phases == Kadabra.phases.index("show")).nonzero()[0]
    otherwise = np.where(magic[show], RETURN_MAGIC, COLLECT)
    made[show] = np.where(llama[show], PLAY + LLAMA, otherwise)
    gives = phases == Kadabra.phases.index("give")
    if gives.any():
        able = as_flags(bits[gives] >> FIRST_GIVE, games.seats - 1)
        made[gives] = leader(games, special[gives], able)
    swaps = ((styles[special] == SHARP) & ((bits >> SWAP & 1) != 0)).nonzero()[0]
    if len(swaps):
        costly = gives[swaps] | ((bits[swaps] & COSTLY) != 0)
        exactly = entries(games.whites, special[swaps], games.seat[special[swaps]]) == 10
        made[swaps[costly & exactly]] = SWAP
    chosen[special] = made


def leader(games: KadabraGames, chosen: Index, able: Bool) -> Int:
    """Return the action that gives a token to the active player with the fewest points."""
    places = np.arange(1, games.seats)
    receivers = (games.seat[chosen][:, None] + places) % games.seats
    points = entries(games.points, chosen[:, None], receivers)
    fewest: Int = np.where(able, points, 30_000).argmin(axis=1) + FIRST_GIVE
    return fewest
