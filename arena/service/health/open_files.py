"""Checks how many files a gateway or dashboard may open. Each connection is a file."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from typing import Literal

from arena.base.config import Settings
from arena.service.health.finding import Finding, fine, wrong

Server = Literal["gateway", "dashboard"]

ABOUT = "open files"
DASHBOARD_CONNECTIONS = 2000
SPARE_FILES = 256  # for the database, Redis, logs, static files


def needed(server: Server, settings: Settings) -> int:
    """The number of files that a server opens at most."""
    own = settings.max_connections if server == "gateway" else DASHBOARD_CONNECTIONS
    return own + SPARE_FILES


def raise_limit(server: Server, settings: Settings) -> Finding:
    """Raises this process's soft limit up to the hard limit. Returns whether that is enough."""
    wanted = needed(server, settings)
    soft, hard = map(_count, resource.getrlimit(resource.RLIMIT_NOFILE))
    if soft < wanted and soft < hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), _limit(hard)))
        except (OSError, ValueError):  # macOS has another limit, below the hard one
            return _finding(server, wanted, soft)
    return _finding(server, wanted, max(soft, min(wanted, hard)))


def check_open_files(settings: Settings) -> Iterator[Finding]:
    """Whether servers may open enough files. They raise the soft limit themselves."""
    _, hard = map(_count, resource.getrlimit(resource.RLIMIT_NOFILE))
    for server in ("gateway", "dashboard"):
        yield _finding(server, needed(server, settings), hard)


def limit() -> int:
    """The number of files that this process may open."""
    return _count(resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _finding(server: Server, wanted: int, most: int) -> Finding:
    if most >= wanted:
        return fine(ABOUT, f"A {server} may open the {wanted:,} files that it can need.")
    fewer = max(1, most - SPARE_FILES)
    lower = f" Or set ARENA_MAX_CONNECTIONS to {fewer}." if server == "gateway" else ""
    return wrong(
        ABOUT,
        f"A {server} may open {most:,} files, but can need {wanted:,}. At the limit it refuses "
        "new connections.",
        f"Run `ulimit -n {wanted}` before you start it, or set LimitNOFILE={wanted} in its "
        f"systemd unit.{lower}",
    )


def _count(limit: int) -> int:
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit


def _limit(count: int) -> int:
    return resource.RLIM_INFINITY if count == sys.maxsize else count
