"""What a seat may know when another seat is asked."""

from __future__ import annotations

from arena.rules import Game, View


def seen_by(game: Game, seat: int) -> View:
    """The view of any seat. What another seat is offered tells of its hand, so it is left out."""
    deciding = game.seat
    game.seat = seat
    try:
        view = game.view()
    finally:
        game.seat = deciding
    return view if seat == deciding else view._replace(actions=(), indices=())
