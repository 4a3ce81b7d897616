"""Sets up a LAMA round in the middle of it, so that a rule can be tested by itself."""

from __future__ import annotations

from collections.abc import Sequence

from arena.rules.lama import CARDS, Lama

SEED = bytes(16)


def kinds(cards: str) -> list[int]:
    """The kinds of cards written with spaces: "3 5 llama"."""
    return [CARDS.index(card) for card in cards.split()]


def lama(
    hands: Sequence[str],
    top: str,
    pile: str = "1 2 3 4 5 6",
    turn: int = 0,
    points: Sequence[int] | None = None,
    quitters: Sequence[int] = (),
) -> Lama:
    """A round in which the seats hold `hands` and `turn` is to act; pile: the next card first."""
    game = Lama(len(hands), SEED)
    game.points = list(points or [0] * len(hands))
    stock = kinds(pile)
    game.drawn = len(game.deck) - len(stock)
    game.log.deck[game.drawn :] = stock
    game.hands = [game._counted(kinds(hand)) for hand in hands]
    game.top = CARDS.index(top)
    game.start = game.top
    game.sizes = [sum(hand) for hand in game.hands]
    for seat in quitters:
        game.active[seat] = False
    game.in_round = sum(game.active)
    game.ask_turn(turn)
    return game


def offered(game: Lama) -> set[str]:
    """The offered actions in notation."""
    return {game.notation[action] for action in game.offered}


def act(game: Lama, *moves: str) -> None:
    """Carries out moves written "SEAT ACTION"."""
    for move in moves:
        seat, _, action = move.partition(" ")
        game.apply(game.parse(action), int(seat))
