"""Errors of the rules engine.

    InvalidRequest
    └── RulesError
        ├── UnknownGame         no game of that name
        ├── BadSeats            not 2 to 6 seats
        ├── BadOption           unknown option, or a value it cannot have
        ├── BadDeck             the cards do not add up
        └── BadAction
            ├── MalformedAction     not an action of this game's notation
            ├── ActionNotOffered    an action, but not one offered now
            └── OutOfTurn           another seat is to act, or the match is over

Whatever is raised, the state of the game is as it was before.
"""

from __future__ import annotations

from arena.errors import InvalidRequest


class RulesError(InvalidRequest):
    """The rules engine refuses something."""


class UnknownGame(RulesError):
    """There is no game of that name."""


class BadSeats(RulesError):
    """The number of seats is not 2 to 6."""


class BadOption(RulesError):
    """The game has no such option, or the option cannot have that value."""


class BadDeck(RulesError):
    """The cards do not add up to the game's deck."""


class BadAction(RulesError):
    """The action cannot be carried out."""


class MalformedAction(BadAction):
    """The text is not an action of this game's notation."""


class ActionNotOffered(BadAction):
    """The action is not among those offered now."""


class OutOfTurn(BadAction):
    """Another seat is to act, or the match is over."""
