"""What a seat may know when another seat is asked."""

from __future__ import annotations

from arena.rules import Game, View


def seen_by(game: Game, seat: int) -> View:
    """The view of any seat. What another seat is offered tells of its hand, so it is left out."""
    asked = game.seat
    game.seat = seat
    try:
        view = game.view()
    finally:
        game.seat = asked
    return view if seat == asked else view._replace(actions=(), indices=())
