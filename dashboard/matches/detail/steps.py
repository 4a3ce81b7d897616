"""What a record does not say of a move, and the game knows: what was asked, what was drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena.match import Match


class MoveContext(NamedTuple):
    """Beside one move."""

    ask: str  # "turn", or what is asked within one
    drawn: list[str]  # cards that left the pile with it


def steps(match: Match) -> Iterator[MoveContext]:
    """For each move of a match in order; plays it once more."""
    game = type(match.game)(match.game.seats, match.game.seed, match.game.options)
    for played in match.game.rounds:
        for seat, action in played.moves:
            ask, log, before = game.phase, game.log, getattr(game, "drawn", 0)
            game.apply(action, seat)
            # A new round has a new pile; games without one draw nothing.
            after = getattr(game, "drawn", 0) if game.log is log else before
            yield MoveContext(ask, [game.kinds[kind] for kind in log.deck[before:after]])
