"""Structured logs, the same in every process.

    log = structlog.get_logger(__name__)
    log.info("session opened", bot="nora", gateway=gateway_id)

An event consists of a few constant words; variable parts are fields. Libraries that use the
standard library's logging (Celery, SQLAlchemy, Waitress) produce the same format on stderr.
Repeated lines are counted (`arena.base.log_rate_limit`).
"""

from __future__ import annotations

import atexit
import logging
import sys

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from arena.base.config import Settings
from arena.base.log_rate_limit import RateLimitedHandler

MOST_CHARACTERS = 10_000  # per field, including tracebacks; the middle is cut

# Loggers that write every second even when idle.
CHATTY = ("alembic", "celery.app.trace", "celery.beat", "celery.worker.strategy")


def setup_logs(settings: Settings, process: str) -> None:
    """Makes all loggers of this process write to stderr in the configured format.

    Each line has the field `process`, e.g. "gateway". Another call replaces the setup.
    """
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    console = settings.log_format == "console"
    render = _console() if console else structlog.processors.JSONRenderer()
    before = _before_rendering(process)
    structlog.configure(
        processors=[*before, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    _route_standard_library(level, before, render)


def _before_rendering(process: str) -> list[Processor]:
    def name_process(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        event["process"] = process
        return event

    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        name_process,
    ]


def _console() -> Processor:
    return structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )


def _add_summary(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Adds the number of repetitions, if the line represents several."""
    event.update(getattr(event["_record"], "summary", {}))
    return event


def _shorten(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Cuts the middle of long texts."""
    for key, value in event.items():
        if isinstance(value, str) and len(value) > MOST_CHARACTERS:
            half, left_out = MOST_CHARACTERS // 2, len(value) - MOST_CHARACTERS
            event[key] = f"{value[:half]} ... {left_out:,} characters ... {value[-half:]}"
    return event


def _route_standard_library(level: int, before: list[Processor], render: Processor) -> None:
    handler = RateLimitedHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=before,
            processors=[
                _add_summary,
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                # Plain, because logs must not show the values of variables.
                structlog.processors.format_exc_info,
                _shorten,
                render,
            ],
        )
    )
    root = logging.getLogger()
    for earlier in root.handlers:
        if isinstance(earlier, RateLimitedHandler):
            earlier.close()
    root.handlers = [handler]
    atexit.register(logging.shutdown)  # because forks lose the library's own registration
    root.setLevel(level)
    for name in CHATTY:
        quiet = logging.NOTSET if level == logging.DEBUG else max(level, logging.WARNING)
        logging.getLogger(name).setLevel(quiet)
