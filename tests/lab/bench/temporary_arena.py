"""A complete arena in a temporary folder, for a measurement."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.base import folder
from arena.base.config import Settings
from arena.operations.supervise.machine import Machine, machine

DEATHS = 3  # crashes of one process in a row that end the measurement


@contextmanager
def temporary_arena(tell: Callable[[str], None], **values: Any) -> Iterator[Machine]:
    """Run an arena with these settings, and remove it afterwards. It listens on free ports, so that
    several can start at once. Raises Unavailable as `arena up` does."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as name:
        os.chmod(name, 0o711)
        settings = Settings(data=Path(name), **{"port": 0, "dashboard_port": 0, **values})
        with (
            folder.lock(settings.data) as lock,
            machine(settings, tell, lock, give_up_after=DEATHS) as arena,
        ):
            yield arena
