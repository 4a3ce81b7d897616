"""The exception hierarchy.

ArenaError                  the message tells the user what happened and what to do
├── InvalidRequest          the request is invalid as it stands
│   └── rules.errors        unknown game, bad option, malformed or illegal action, ...
├── NotFound                no such bot, tournament or match
├── AlreadyExists           the name is taken
├── NotNow                  the request is valid, but not in the current state
├── LimitReached            a limit is exhausted
├── BotDied                 a bot ended the process in which it was to play
└── Unavailable             a database, Redis, port or arena cannot be reached
    └── SchemaMismatch      the database belongs to another release than this process
"""

from __future__ import annotations


class ArenaError(Exception):
    """Any error the arena reports to its user; `str(error)` is a complete sentence."""


class InvalidRequest(ArenaError):
    """The request is invalid as it stands."""


class NotFound(ArenaError):
    """The request names something that does not exist."""


class AlreadyExists(ArenaError):
    """The request would create something that already exists."""


class NotNow(ArenaError):
    """The request is valid, but not in the current state."""


class LimitReached(ArenaError):
    """The request would exceed a limit."""


class Unavailable(ArenaError):
    """A service the arena depends on cannot be reached.

    `public` is a sentence for visitors. It names no host and no user; by default it is the message.
    """

    def __init__(self, message: str, public: str = "") -> None:
        super().__init__(message)
        self.public = public or message


class SchemaMismatch(Unavailable):
    """The database belongs to another release, so this process must not use it."""


class BotDied(ArenaError):
    """A bot ended the process in which it was to play."""
