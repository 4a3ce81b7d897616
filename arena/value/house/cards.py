"""The strategies of house bots for the card games: `arena.bots.lama`, `party` and `kadabra`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias, cast

import numpy as np

from arena.batch import Games
from arena.batch.arrays import Bool, Int
from arena.batch.rounds import RETURN
from arena.batch.shedding import SheddingGames
from arena.rules import game_class
from arena.rules.party import PINK
from arena.rules.shedding import DRAW, PLAY, QUIT
from arena.value.cards import steps, worth
from arena.value.house.hand import Hand
from arena.value.house.tokens import with_tokens
from arena.value.policy import Policy

Enough: TypeAlias = Callable[[Hand], Bool]  # where to quit rather than draw

KINDS = 32  # more than any game has: what ranks first counts more than the order of the kinds


@dataclass(frozen=True)
class CardStyle:
    """A strategy of a house bot, as a Policy."""

    game: str
    has_enough: Enough
    in_sequence: bool = False  # plays the nearest card of the circle, not the cheapest
    is_guest: bool = False  # plays plus cards first, and the pink llama last
    swaps: bool = False  # ten whites for a black, when it is about to shed it

    def __call__(self, games: Games, rng: np.random.Generator) -> Int:
        """Plays, else draws, else quits; returns the highest token."""
        cards, legal = cast(SheddingGames, games), games.legal
        hand = Hand(cards)
        playable = legal[:, PLAY : games.rules.keep]
        first = ranks(self.game, self.in_sequence, self.is_guest)[cards.top]
        play = PLAY + np.where(playable, first, np.iinfo(np.int32).max).argmin(axis=1)
        draws = legal[:, DRAW] & ~self.has_enough(hand)
        chosen = np.where(playable.any(axis=1), play, np.where(draws, DRAW, QUIT))
        returning = games.phase == RETURN
        chosen[returning] = last_legal(legal[returning])
        return with_tokens(games, hand, legal, chosen, self.swaps)


@cache
def ranks(game: str, in_sequence: bool, is_guest: bool) -> Int:
    """By top card and card: the lowest is played first (K, K)."""
    kinds = game_class(game).kinds
    cost = [[steps(card, top) if in_sequence else worth(card) for card in kinds] for top in kinds]
    manners = [0 if card.endswith("+") else 2 if card == "pink" else 1 for card in kinds]
    rank = np.array(cost, np.int32) * KINDS + np.arange(len(kinds), dtype=np.int32)
    return rank + (np.array(manners, np.int32) * KINDS**2 if is_guest else 0)


def last_legal(legal: Bool) -> Int:
    """The legal action with the highest index: (M,)."""
    last: Int = legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)
    return last


# When each has enough


def never(hand: Hand) -> Bool:
    """Plays on."""
    return np.zeros(len(hand.points), np.bool_)


def at_most(points: int) -> Enough:
    """Quits with so few points."""
    return lambda hand: hand.penalty() <= points


def careful(hand: Hand) -> Bool:
    """Six points, plus one for each card by which the shortest other hand is below four."""
    return hand.penalty() <= 6 + (4 - hand.shortest_other())


def sharp(hand: Hand) -> Bool:
    """Plays on with a card that is soon playable, or ten points to return."""
    limit = 5 + (4 - hand.shortest_other()) + 0.7 * (hand.nearest() - 4)
    enough: Bool = hand.penalty() <= limit - 2 * (hand.points >= 10)
    return enough


def sharp_guest(hand: Hand) -> Bool:
    """Nor while it holds the pink llama."""
    return ~hand.holds(PINK) & sharp(hand)


def styles(game: str) -> dict[str, Policy]:
    """The strategies of a game by the names of the bots."""
    party = game == "party"
    return {
        "timid": CardStyle(game, at_most(20), in_sequence=True, is_guest=party),
        "stubborn": CardStyle(game, never),
        "five": CardStyle(game, at_most(5), is_guest=party),
        "careful": CardStyle(game, careful, in_sequence=True, is_guest=party),
        "sharp": CardStyle(
            game, sharp_guest if party else sharp, in_sequence=True, is_guest=party, swaps=True
        ),
    }


CARD_STYLES = {game: styles(game) for game in ("lama", "party", "kadabra")}
