"""A game played once more, decision by decision, with what its record does not say: who held what,
and which cards were drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena.games.rules import Game, View


class Step(NamedTuple):
    """One decision, forced ones included."""

    view: View  # of the deciding seat, before it decided; its number is the decision's
    action: str  # in notation
    drawn: tuple[str, ...]  # cards that left the pile with it


def steps(game: Game, match: str = "") -> Iterator[Step]:
    """Every decision of a game in order; `match` is the id that stands in the views."""
    again, number = type(game)(game.seats, game.seed, game.options), 0
    for played in game.rounds:
        for seat, action in played.moves:
            number += 1
            view, log, before = again.view(match, number), again.log, _drawn(again)
            again.apply(action, seat)
            # A new round has a new pile.
            after = _drawn(again) if again.log is log else before
            cards = tuple([game.kinds[kind] for kind in log.deck[before:after]])
            yield Step(view, game.notation[action], cards)


def _drawn(game: Game) -> int:
    """How many cards of the deck are dealt or drawn; games without a pile draw nothing."""
    return int(getattr(game, "drawn", 0))
