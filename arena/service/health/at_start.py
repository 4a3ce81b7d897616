"""The checks of a starting server, which logs problems and starts anyway, and of the names of
ARENA_* variables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

import structlog

from arena.base import instant, website
from arena.base.config import Settings
from arena.service.health.certificates import check_expiry
from arena.service.health.finding import Finding, wrong
from arena.service.health.open_files import Server, raise_limit

log = structlog.get_logger(__name__)

PREFIX = "ARENA_"
# Read by bots and the command line, not by the processes of an arena.
OF_CLIENTS = ("URL", "TOKEN", "BOT_KEY", "BOT_VERSION", "DASHBOARD")
KNOWN = (*map(str.upper, Settings.model_fields), *OF_CLIENTS, "PURE")  # without the prefix


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
