"""Errors of the rules engine.

    InvalidRequest
    └── RulesError
        ├── UnknownGame         unknown name of a game
        ├── BadSeats            not 2 to 6 seats
        ├── BadOption           unknown option, or invalid value
        ├── BadDeck             not the cards of the game's deck
        ├── BadPacking          view or bytes that cannot be packed or unpacked
        ├── BadView             a view that no state of the game has
        ├── NotSampled          the game cannot be set up from a view
        └── BadAction
            ├── MalformedAction     not an action of this game's notation
            ├── IllegalAction       an action that is not legal now
            └── OutOfTurn           another seat is to act, or the match is over

Errors leave the state of the game unchanged.
"""

from arena.base.errors import InvalidRequest


class RulesError(InvalidRequest):
    """The rules engine rejects the request."""


class UnknownGame(RulesError):
    """The game is unknown."""


class BadSeats(RulesError):
    """The number of seats is not 2 to 6."""


class BadOption(RulesError):
    """The game has no such option, or the value is invalid."""


class BadDeck(RulesError):
    """The cards are not those in the game's deck."""


class BadPacking(RulesError):
    """The view does not fit into a row of bytes, or the bytes are not a valid row."""


class BadView(RulesError):
    """No state of the game has this view for the deciding seat."""


class NotSampled(RulesError):
    """The game does not support being set up from a view."""


class BadAction(RulesError):
    """The action cannot be carried out."""


class MalformedAction(BadAction):
    """The text is not an action of this game's notation."""


class IllegalAction(BadAction):
    """The action is not legal in the current state."""


class OutOfTurn(BadAction):
    """Another seat is to act, or the match is over."""
