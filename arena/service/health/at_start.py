"""The checks of a starting server, which logs problems and starts anyway: how many files it may
open (each connection is one), its certificate, and the names of ARENA_* variables."""

import os
import resource
import sys
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Literal

import structlog

from arena.base import instant, website
from arena.base.config import Settings
from arena.service.health.certificates import check_expiry
from arena.service.health.finding import Finding, fine, wrong

log = structlog.get_logger(__name__)

PREFIX = "ARENA_"
# Read by bots and the command line, not by the processes of an arena.
OF_CLIENTS = ("URL", "TOKEN", "BOT_KEY", "BOT_VERSION", "DASHBOARD")
KNOWN = (*map(str.upper, Settings.model_fields), *OF_CLIENTS, "PURE")  # without the prefix

Server = Literal["gateway", "dashboard"]

OPEN_FILES = "open files"
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


def open_file_limit() -> int:
    """The number of files that this process may open."""
    return _count(resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _finding(server: Server, wanted: int, most: int) -> Finding:
    if most >= wanted:
        return fine(OPEN_FILES, f"A {server} may open the {wanted:,} files that it can need.")
    fewer = max(1, most - SPARE_FILES)
    lower = f" Or set ARENA_MAX_CONNECTIONS to {fewer}." if server == "gateway" else ""
    return wrong(
        OPEN_FILES,
        f"A {server} may open {most:,} files, but can need {wanted:,}. At the limit it refuses "
        "new connections.",
        f"Run `ulimit -n {wanted}` before you start it, or set LimitNOFILE={wanted} in its "
        f"systemd unit.{lower}",
    )


def _count(limit: int) -> int:
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit


def _limit(count: int) -> int:
    return resource.RLIM_INFINITY if count == sys.maxsize else count


def check_at_start(server: Server, settings: Settings) -> list[Finding]:
    """Raises the limit of open files, and checks the certificate and the names of variables. Logs
    and returns problems."""
    findings = [raise_limit(server, settings), *examine_names(os.environ)]
    if server == "gateway" and settings.tls_cert and settings.tls_cert.exists():
        findings.append(check_expiry(settings.tls_cert, instant.now()))
    found = [each for each in findings if each.state == "wrong"]
    for each in found:
        log.warning(each.sentence, advice=each.advice)
    return found


def examine_names(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield unknown variables, with the name that may be meant."""
    for name in sorted(environ):
        called = name.upper().removeprefix(PREFIX)
        if not name.upper().startswith(PREFIX) or called in KNOWN:
            continue
        near = get_close_matches(called, KNOWN, n=1)
        yield wrong(
            "settings",
            f"{name} is not a known variable.",
            f"If you mean {PREFIX}{near[0]}, rename it."
            if near
            else f"Unset it. All variables are listed at {website.docs('configuration')}.",
        )
