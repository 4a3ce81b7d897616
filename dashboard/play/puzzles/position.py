"""The position of a puzzle, as the deciding seat sees it.

The match is replayed up to the decision, with seats in place of bots' names, so that neither later
moves nor names can get into the page.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from arena.base.errors import NotFound, Unavailable
from arena.games.match import Match, Seat
from arena.games.packed_log import pack, replay
from arena.games.rules import View
from arena.store.reviews.puzzles import StoredPuzzle
from dashboard.matches.replay.states import State, at_decision
from dashboard.matches.shown import shown
from dashboard.play import offers
from dashboard.play.offers import ButtonGroup, Choice
from dashboard.play.story import Scored, StoryLine, story


@dataclass(frozen=True)
class Position:
    """A decision, with what the table of a casual game shows (`dashboard/play/parts.html`)."""

    match: Match  # up to the decision
    view: View
    state: State
    names: Sequence[str]  # by seat
    events: Sequence[StoryLine | Scored]  # since the seat's last decision
    my_turn: bool  # while it is not answered
    groups: Sequence[ButtonGroup]
    in_hand: dict[str, Choice]

    @property
    def table(self) -> dict[str, object]:
        """The part of a casual game that its macros use."""
        return {"over": False, "seat": self.view.seat, "names": self.names}


def position_of(puzzle: StoredPuzzle, *, answered: bool, without: Collection[str] = ()) -> Position:
    """The position of a puzzle; `without` are actions that a hint strikes out. Raises NotFound if
    visitors may not see the match, and Unavailable if its archive is missing."""
    match, view = _decision(puzzle)
    names = [seat.bot for seat in match.setup.seats]
    in_hand = {
        card: choice
        for card, choice in offers.in_hand(view).items()
        if choice.action not in without
    }
    groups = [
        # Shortcuts need the script of casual games.
        replace(group, choices=tuple([replace(each, key="") for each in group.choices]))
        for group in offers.groups(view, names)
    ]
    return Position(
        match,
        view,
        at_decision(match, puzzle.seat),
        names,
        story(match, puzzle.seat, names),
        not answered,
        groups,
        in_hand,
    )


def _decision(puzzle: StoredPuzzle) -> tuple[Match, View]:
    gone = NotFound(f"Puzzle {puzzle.id} is no longer available. Choose another one.")
    try:
        stored = shown().match(puzzle.match)
    except NotFound:
        raise gone from None
    except Unavailable:
        raise Unavailable(
            f"Puzzle {puzzle.id} cannot be shown now. Its match is in an archive that is missing "
            "on this server. Choose another puzzle."
        ) from None
    if stored.locked:
        raise gone
    whole = replay(stored.setup, stored.log)
    seats = tuple(
        [Seat("you" if n == puzzle.seat else f"Seat {n + 1}") for n in range(len(stored.seats))]
    )
    match = replay(replace(stored.setup, seats=seats), pack(whole, puzzle.number - 1))
    view = match.decision
    if view is None or (view.number, view.seat) != (puzzle.number, puzzle.seat):
        raise gone
    return match, view
