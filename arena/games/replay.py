"""Replays a game decision by decision, with information that its record does not have: the hands
and the drawn cards."""

from collections.abc import Iterator
from typing import NamedTuple

from arena.games.rules import Game, View


class Step(NamedTuple):
    """A decision, possibly forced."""

    view: View  # of the deciding seat, before the decision
    action: str  # in notation
    drawn: tuple[str, ...]  # cards that the action took from the pile


def restarted(game: Game) -> Game:
    """Returns the same game before its first move."""
    return type(game)(game.seats, game.seed, game.options)


def steps(game: Game, match: str = "") -> Iterator[Step]:
    """Yields every decision of a game in order; `match` is the id in the views."""
    again, number = restarted(game), 0
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
    """Returns the number of cards dealt or drawn; 0 for games without a pile."""
    return int(getattr(game, "drawn", 0))
