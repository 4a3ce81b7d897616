"""The extras of this installation: optional packages, and the error for one that is missing."""

from __future__ import annotations

from importlib.util import find_spec

from arena.base import website
from arena.base.errors import Unavailable

# The extra that brings a package; every other package comes with `server`.
EXTRAS = {
    "numpy": "numpy",
    "gymnasium": "learn",
    "pettingzoo": "learn",
    "pyarrow": "learn",
    "opentelemetry": "trace",
}
# Without one of these no command of the server can start.
SERVER = (
    "celery",
    "click",
    "flask",
    "pydantic_settings",
    "redis",
    "rich",
    "sqlalchemy",
    "structlog",
)
OURS = ("arena", "dashboard", "workers")


class MissingExtra(Unavailable):
    """An optional package is not installed; the message has the command that installs it."""

    def __init__(self, what: str, extra: str) -> None:
        """`what` needs it, such as "`arena analyse`"."""
        super().__init__(
            f"{what} needs the extra {extra!r} of lama-arena. "
            f"Install it with: {website.install(extra)}"
        )


def has_server() -> bool:
    """Whether the extra `server` is installed."""
    return all(find_spec(name) for name in SERVER)


def require(what: str, *modules: str) -> None:
    """Raises MissingExtra if one of the modules is not installed."""
    for name in modules:
        if find_spec(name) is None:
            raise MissingExtra(what, extra_of(name))


def missing(what: str, error: ModuleNotFoundError) -> MissingExtra:
    """The error for a failed import. Raises the import's own error if no extra would help."""
    if error.name is None or error.name.partition(".")[0] in OURS:
        raise error
    return MissingExtra(what, extra_of(error.name))


def extra_of(module: str) -> str:
    """The extra that brings a module."""
    return EXTRAS.get(module.partition(".")[0], "server")
