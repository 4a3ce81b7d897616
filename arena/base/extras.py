"""Checks for extras (optional packages), and the error for a missing one."""

from importlib.util import find_spec

from arena.base import website
from arena.base.errors import Unavailable

# The extra that installs a package; all other packages belong to `server`.
EXTRAS = {
    "numpy": "numpy",
    "gymnasium": "learn",
    "pettingzoo": "learn",
    "pyarrow": "learn",
    "opentelemetry": "trace",
}
# The server's commands need all of these.
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
    """An optional package is not installed; the message contains the command to install it."""

    def __init__(self, what: str, extra: str) -> None:
        """`what` needs the extra, for example "`arena analyse`"."""
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
    """The extra that installs a module."""
    return EXTRAS.get(module.partition(".")[0], "server")
