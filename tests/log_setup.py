"""Undoes what `setup_logs` changes, for tests that call it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from arena.base.logs import CHATTY, RateLimitedHandler


@contextmanager
def logging_restored() -> Iterator[None]:
    """Restores logging after the block."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    try:
        yield
    finally:
        for handler in root.handlers:
            if isinstance(handler, RateLimitedHandler):
                handler.close()
        for name in CHATTY:
            logging.getLogger(name).setLevel(logging.NOTSET)
        root.handlers = handlers
        root.setLevel(level)
        structlog.reset_defaults()
