"""The checks of a starting server. It logs problems and starts anyway."""

from __future__ import annotations

import os

import structlog

from arena.base import instant
from arena.base.config import Settings
from arena.service.health.certificates import check_expiry
from arena.service.health.finding import Finding
from arena.service.health.open_files import Server, raise_limit
from arena.service.health.variables import examine_names

log = structlog.get_logger(__name__)


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
