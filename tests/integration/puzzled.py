"""Puzzles in stored matches, with made-up values."""

from arena.games.packed_log import replay
from arena.games.replay import steps
from arena.games.rules import View
from arena.store import Store
from arena.store.matches.matches import StoredMatch
from arena.store.reviews import puzzles
from arena.store.reviews.puzzles import StoredPuzzle
from arena.value.review.puzzles import FEWEST_ACTIONS, Alternative, Puzzle


def choices(stored: StoredMatch) -> list[View]:
    """The decisions of a match with enough actions for a puzzle."""
    match = replay(stored.setup, stored.log)
    asked = {entry.number for entry in match.logged}
    every = [step.view for step in steps(match.game, match.setup.id)]
    return [view for view in every if view.number in asked and len(view.actions) >= FEWEST_ACTIONS]


def puzzle_at(view: View, best: int = 0) -> Puzzle:
    """A puzzle at a decision; the action at this place is the best, the others follow."""
    order = [view.actions[best], *[each for each in view.actions if each != view.actions[best]]]
    values = [
        Alternative(action, 0.6123 - 0.1 * place, 0.1 * place, 0.0123 if place else 0.0)
        for place, action in enumerate(order)
    ]
    return Puzzle(view.number, view.seat, tuple(values))


def store_puzzles(store: Store, stored: StoredMatch, count: int = 1) -> list[StoredPuzzle]:
    """Stores puzzles at the last decisions of a match; returns those that visitors see."""
    with store.write() as conn:
        puzzles.add(conn, stored, [puzzle_at(view) for view in choices(stored)[-count:]])
        return [each for each in puzzles.page(conn, None, 1000, 0) if each.match == stored.id]
