"""Captures logs, independently of the log setup that earlier tests left behind."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from logging import NOTSET
from types import ModuleType
from unittest.mock import patch

import structlog
from structlog.testing import LogCapture
from structlog.typing import EventDict


@contextmanager
def captured_logs(*modules: ModuleType) -> Iterator[list[EventDict]]:
    """The log lines of these modules. `structlog.testing.capture_logs` misses loggers that have
    cached an earlier setup."""
    capture = LogCapture()
    log = structlog.wrap_logger(
        None, processors=[capture], wrapper_class=structlog.make_filtering_bound_logger(NOTSET)
    )
    with ExitStack() as patches:
        for module in modules:
            patches.enter_context(patch.object(module, "log", log))
        yield capture.entries
