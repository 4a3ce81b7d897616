"""Checks this machine: where processes write, its disk, and its gateway's certificate."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from arena.service.health.certificates import check_expiry
from arena.service.health.disk import check_disk
from arena.service.health.facts import Facts
from arena.service.health.finding import Finding
from arena.service.health.storage import (
    check_data_folder,
    check_shared_memory,
    check_temporary_folder,
)


def check_machine(seen: Facts) -> Iterator[Finding]:
    """What is wrong here, where the machine is known. The data folder may be read-only with a
    database elsewhere."""
    if seen.settings is None:
        return
    if sys.platform == "linux":
        yield check_shared_memory()
    yield check_temporary_folder()
    if seen.settings.database.startswith("sqlite"):
        yield check_data_folder(seen.settings.data)
    yield from check_disk(seen.settings)
    if seen.settings.tls_cert:
        yield check_expiry(seen.settings.tls_cert, seen.now)
