"""A script that imports each of our packages as the first one of a process.

To save time, each process is forked from one that has loaded the third-party packages. Parent
packages exist without their `__init__`, which would import others first; `arena` has only its
version. Prints a line for each package that cannot be imported. The contract "no import cycles" in
pyproject.toml extends this from packages to their modules.
"""

import gc
import importlib
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path

ROOTS = ("arena", "workers", "dashboard")
FOREIGN = (
    "alembic.command",
    "celery",
    "flask_limiter",
    "flask_login",
    "flask_wtf.csrf",
    "grpc.aio",
    "numpy",
    "psycopg",
    "pydantic_settings",
    "redis.asyncio",
    "rich.console",
    "sqlalchemy.dialects.postgresql",
    "sqlalchemy.dialects.sqlite",
    "structlog",
)
# Alembic runs these in its context.
RUN = "arena/store/migrations/"
AT_ONCE = 2


def packages() -> Iterator[str]:
    """The names of all our packages."""
    for root in ROOTS:
        for file in sorted(Path(root).rglob("__init__.py")):
            if not file.as_posix().startswith(RUN):
                yield ".".join(file.parts[:-1])


def imported_first(name: str) -> str:
    """Imports the package in this process; returns the error, or ""."""
    parts = name.split(".")
    for depth in range(1, len(parts)):
        package = types.ModuleType(".".join(parts[:depth]))
        package.__path__ = [os.path.join(*parts[:depth])]
        sys.modules[package.__name__] = package
    if "arena" in sys.modules:
        sys.modules["arena"].__dict__["__version__"] = "0"
    try:
        importlib.import_module(name)
    except BaseException as error:
        return f"{name}: {type(error).__name__}: {error}"
    return ""


def in_child(name: str) -> None:
    """The same in a forked process."""
    if os.fork():
        return
    problem = imported_first(name)
    if problem:
        sys.stdout.write(f"{problem}\n")
        sys.stdout.flush()
    os._exit(bool(problem))


def main() -> None:
    """The exit status: 1 if a package cannot be imported first."""
    sys.path.insert(0, "")
    for foreign in FOREIGN:
        importlib.import_module(foreign)
    gc.freeze()
    failed, running, count = 0, 0, 0
    for name in packages():
        count += 1
        if running == AT_ONCE:
            failed += os.wait()[1] != 0
            running -= 1
        in_child(name)
        running += 1
    failed += sum(os.wait()[1] != 0 for _ in range(running))
    sys.stdout.write(f"{count} packages, {failed} failed\n")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
