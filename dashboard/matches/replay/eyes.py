"""What a seat may know when another seat is asked."""

from __future__ import annotations

from arena.games.rules import Game, View


def seen_by(game: Game, seat: int) -> View:
    """The view of any seat. What another seat is offered tells of its hand, so it is left out."""
    to_act = game.seat
    game.seat = seat
    try:
        view = game.view()
    finally:
        game.seat = to_act
    return view if seat == to_act else view._replace(actions=(), indices=())
