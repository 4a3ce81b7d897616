"""What can go wrong, as one tree.

ArenaError                  the message is a sentence for the user: what happened, what to do
├── InvalidRequest          it cannot be carried out as it stands
│   └── rules.errors        unknown game, bad option, malformed or illegal action, ...
├── NotFound                no such bot, tournament or match
├── AlreadyExists           the name is taken
├── NotNow                  it cannot be carried out at this moment
├── LimitReached            there is as much of it as there may be
└── Unavailable             a database, Redis, port or arena cannot be reached
    └── SchemaMismatch      the database is of another release than this process
"""

from __future__ import annotations


class ArenaError(Exception):
    """Anything the arena reports to its user; `str(error)` is a whole sentence."""


class InvalidRequest(ArenaError):
    """The request cannot be carried out as it stands."""


class NotFound(ArenaError):
    """What the request names does not exist."""


class AlreadyExists(ArenaError):
    """What the request would create exists."""


class NotNow(ArenaError):
    """The request is sound but cannot be carried out at this moment."""


class LimitReached(ArenaError):
    """There is as much as there may be of what the request would add."""


class Unavailable(ArenaError):
    """Something the arena depends on cannot be reached."""


class SchemaMismatch(Unavailable):
    """The database is of another release: this process must not work on it."""
