"""Strategies for L.A.M.A., LAMA Party Edition and LLAMA Kadabra; see `arena.bots`."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from arena.batch.arrays import Bool, Index, Int, Int16, UInt8, as_flags
from arena.batch.kadabra import HALF, LOWER_VALUES, SCORES, UPPER_VALUES, KadabraGames
from arena.batch.rounds import RETURN
from arena.batch.shedding import SheddingGames, scores
from arena.rules.kadabra import COLLECT, FIRST_GIVE, LLAMA, RETURN_MAGIC, SWAP, Kadabra
from arena.rules.party import Party
from arena.rules.shedding import DRAW, PLAY, QUIT
from arena.value.cards import steps, worth
from arena.value.strategies.styles import CAREFUL, FIVE, SHARP, STUBBORN, STYLES, TIMID

NEVER = 255  # the rank of a card that cannot be played
FAR = 99


def choose(games: SheddingGames, styles: Int) -> Int:
    """An action for each game (N,)."""
    bits = games.offered().legal_bits
    plays = as_flags(bits >> PLAY, len(games.rules.kinds))
    ranks = np.where(plays, ranking(games.rules.kinds)[styles, games.top], np.uint8(NEVER))
    chosen: Int = ranks.argmin(axis=1) + PLAY
    unable = np.flatnonzero(ranks.min(axis=1) == NEVER)
    chosen[unable] = QUIT
    drawing = unable[(bits[unable] >> DRAW & 1) != 0]
    chosen[drawing] = np.where(has_enough(games, drawing, styles[drawing]), QUIT, DRAW)
    if isinstance(games, KadabraGames):
        use_tokens(games, styles, chosen)
    back = np.flatnonzero(games.phase == RETURN)
    chosen[back] = highest_return(games, back)
    return chosen


@cache
def ranking(kinds: tuple[str, ...]) -> UInt8:
    """By style, top kind and kind: the lower, the sooner it is played: (S, K, K)."""
    cheap = [[worth(kind) for kind in kinds]] * len(kinds)
    near = [[steps(kind, top) for kind in kinds] for top in kinds]
    made = np.array([near if s in (TIMID, CAREFUL, SHARP) else cheap for s in range(len(STYLES))])
    if kinds == Party.kinds:
        order = [0 if kind[-1] == "+" else 200 if kind == "pink" else 100 for kind in kinds]
        guests = [style for style in range(len(STYLES)) if style != STUBBORN]
        made[guests] = made[guests] + np.array(order)
    return made.astype(np.uint8)


def has_enough(games: SheddingGames, chosen: Index, styles: Int) -> Bool:
    """Whether the deciding seats of these games (M,) quit rather than draw."""
    enough: Bool = penalty(games, chosen) <= limits(games, chosen, styles)
    return enough


def limits(games: SheddingGames, chosen: Index, styles: Int) -> npt.NDArray[np.float64]:
    """The points up to which the deciding seats of these games (M,) quit."""
    limit = np.select([styles == TIMID, styles == FIVE], [20.0, 5.0], -1.0)
    careful = np.flatnonzero(styles >= CAREFUL)
    limit[careful] = 6 + (4 - shortest_hand(games, chosen[careful]))
    sharp = np.flatnonzero(styles == SHARP)
    limit[sharp] = sharp_limit(games, chosen[sharp], limit[sharp] - 1)
    return limit


def sharp_limit(
    games: SheddingGames, chosen: Index, limit: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Less with a card that is soon playable, and with ten points to return."""
    seats = games.seat[chosen]
    far = distances(games.rules.kinds)[games.top[chosen]]
    nearest = np.where(games.hands[chosen, seats] > 0, far, FAR).min(axis=1)
    made: npt.NDArray[np.float64] = limit + 0.7 * (nearest - 4)
    made -= 2 * (games.points[chosen, seats] >= 10)
    return made


@cache
def distances(kinds: tuple[str, ...]) -> Int16:
    """By top kind and kind: the steps up the cycle."""
    return np.array([[steps(kind, top) for kind in kinds] for top in kinds], np.int16)


def shortest_hand(games: SheddingGames, chosen: Index) -> Int16:
    """The cards in the shortest hand among the other active players; 6 if there is none."""
    others = games.active[chosen]
    others[np.arange(len(chosen)), games.seat[chosen]] = False
    shortest = np.where(others, games.sizes[chosen], 200).min(axis=1)
    return np.where(shortest == 200, 6, shortest).astype(np.int16)


def penalty(games: SheddingGames, chosen: Index) -> Int16:
    """What the deciding seats' cards score."""
    held = games.held[chosen, games.seat[chosen]]
    if not isinstance(games, KadabraGames):
        return scores(games.rules.penalty, len(games.rules.kinds))[held]
    values = LOWER_VALUES[held & np.uint32((1 << HALF) - 1)] | UPPER_VALUES[held >> np.uint32(HALF)]
    scored: Int16 = SCORES[values]
    return scored


def highest_return(games: SheddingGames, chosen: Index) -> Int:
    """The return of the highest token that is legal in these games."""
    keep = games.rules.keep
    bits = as_flags(games.legal_bits[chosen] >> keep, len(games.rules.returns) + 1)
    highest: Int = keep + bits.shape[1] - 1 - bits[:, ::-1].argmax(axis=1)
    return highest


# Only in LLAMA Kadabra


def use_tokens(games: KadabraGames, styles: Int, chosen: Int) -> None:
    """Shows, gifts, the magic token, swapping: changes what was chosen."""
    bits = games.legal_bits
    able = as_flags(bits >> FIRST_GIVE, 8)
    magic = able[:, RETURN_MAGIC - FIRST_GIVE]
    show = games.phase == Kadabra.phases.index("show")
    llama = (bits >> PLAY + LLAMA & 1) != 0
    passes = (chosen <= DRAW) & ~show
    chosen[magic & passes] = RETURN_MAGIC
    in_show = np.where(llama, PLAY + LLAMA, np.where(magic, RETURN_MAGIC, COLLECT))
    chosen[show] = in_show[show]
    give = np.flatnonzero(games.phase == Kadabra.phases.index("give"))
    chosen[give] = leader(games, give, able[give])
    sheds = llama | ((bits >> PLAY + Kadabra.kinds.index("1o") & 1) != 0)
    sheds[give] = True
    wanted = (styles == SHARP) & able[:, SWAP - FIRST_GIVE] & sheds
    whites = games.whites[np.arange(len(games)), games.seat]
    chosen[wanted & (whites == 10)] = SWAP


def leader(games: KadabraGames, chosen: Index, able: Bool) -> Int:
    """The gift to the active player with the fewest points."""
    places = np.arange(1, games.seats)
    receivers = (games.seat[chosen][:, None] + places) % games.seats
    points = games.points[chosen[:, None], receivers]
    fewest: Int = np.where(able[:, : games.seats - 1], points, 30_000).argmin(axis=1) + FIRST_GIVE
    return fewest
