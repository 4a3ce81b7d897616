"""Errors of the rules engine.

    InvalidRequest
    └── RulesError
        ├── UnknownGame         no game of that name
        ├── BadSeats            not 2 to 6 seats
        ├── BadOption           unknown option, or a value it cannot have
        ├── BadDeck             not the cards of the game's deck
        ├── BadView             no state of the game looks like that
        ├── NotSampled          the game cannot be set up from a view
        └── BadAction
            ├── MalformedAction     not an action of this game's notation
            ├── IllegalAction       an action, but not legal now
            └── OutOfTurn           another seat is to act, or the match is over

An error leaves the state of the game unchanged.
"""

from __future__ import annotations

from arena.base.errors import InvalidRequest


class RulesError(InvalidRequest):
    """The rules engine refuses the request."""


class UnknownGame(RulesError):
    """There is no game of that name."""


class BadSeats(RulesError):
    """The number of seats is not 2 to 6."""


class BadOption(RulesError):
    """The game has no such option, or the option cannot have that value."""


class BadDeck(RulesError):
    """These are not the cards of the game's deck."""


class BadPacking(RulesError):
    """The view does not fit in a row of bytes, or these bytes are no such row."""


class BadView(RulesError):
    """No state of the game looks like that to the deciding seat."""


class NotSampled(RulesError):
    """The game has not been taught to be set up from a view."""


class BadAction(RulesError):
    """The action cannot be carried out."""


class MalformedAction(BadAction):
    """The text is not an action of this game's notation."""


class IllegalAction(BadAction):
    """The action is not legal in the current state."""


class OutOfTurn(BadAction):
    """Another seat is to act, or the match is over."""
