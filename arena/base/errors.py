"""The exception hierarchy.

ArenaError                  the message tells the user what failed, why, and what to do
├── InvalidRequest          the request is invalid
│   └── rules.errors        unknown game, bad option, malformed or illegal action, ...
├── NotFound                no such bot, tournament or match
├── AlreadyExists           the name is taken
├── NotNow                  the request is valid, but not in the current state
├── LimitReached            a limit is exhausted
├── BotDied                 a bot ended the process in which it played
└── Unavailable             a database, Redis, port or arena cannot be reached
    └── SchemaMismatch      the database belongs to another release than this process
"""


class ArenaError(Exception):
    """An error for the user; `str(error)` consists of whole sentences."""


class InvalidRequest(ArenaError):
    """The request is invalid, whatever the state of the arena."""


class NotFound(ArenaError):
    """The request names something that does not exist."""


class AlreadyExists(ArenaError):
    """The request would create something that already exists."""


class NotNow(ArenaError):
    """The request is valid, but not in the current state."""


class LimitReached(ArenaError):
    """The request would exceed a limit."""


class Unavailable(ArenaError):
    """A service the arena depends on cannot be reached. `public` is the text for visitors, without
    hosts and users; by default the message."""

    def __init__(self, message: str, public: str = "") -> None:
        super().__init__(message)
        self.public = public or message


class SchemaMismatch(Unavailable):
    """The database belongs to another release, so this process must not use it."""


class BotDied(ArenaError):
    """A bot ended the process in which it played."""
