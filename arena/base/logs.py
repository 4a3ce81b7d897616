"""Structured logs, the same in every process.

    log = structlog.get_logger(__name__)
    log.info("session opened", bot="nora", gateway=gateway_id)

An event consists of a few constant words; variable parts are fields. Libraries that use the
standard library's logging (Celery, SQLAlchemy, Waitress) produce the same format on stderr.

Untrusted users can trigger the same log line many times. So a line is written once in a period, and
the lines of one origin only up to a number of characters. At the end of the period one of the
others is written, with their number in the field `repeated`. An origin is a place in the code, and
for an exception also its type and the place that raised it, so that errors do not hide each other.
"""

import atexit
import copy
import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from traceback import format_exception_only, walk_tb
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from arena.base.config import Settings

MOST_CHARACTERS = 10_000  # per field, including tracebacks; the middle is cut

# Loggers that write every second even when idle.
CHATTY = ("alembic", "celery.app.trace", "celery.beat", "celery.worker.strategy")

PERIOD_S = 60.0
MOST_OF_ORIGIN = 16_000  # characters per origin and period
MOST_ORIGINS = 1_000  # all others count as one


def setup_logs(settings: Settings, process: str) -> None:
    """Makes all loggers of this process write to stderr in the configured format. Each line has the
    field `process`, e.g. "gateway". Another call replaces the setup."""
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


@dataclass
class Origin:
    """The lines of one origin in this period."""

    left: int = MOST_OF_ORIGIN
    written: set[int] = field(default_factory=set)
    repeated: int = 0
    summary: logging.LogRecord | None = None

    def count(self, record: logging.LogRecord) -> None:
        """Counts a line that is not written. The first of them represents all."""
        self.repeated += 1
        if self.summary is None:
            self.summary = _without_traceback(record)
        self.summary.__dict__["summary"]["repeated"] = self.repeated


class RateLimitedHandler(logging.StreamHandler[TextIO]):
    """Writes lines to a stream, and counts those that repeat."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(stream)
        self._clock = clock
        self._origins: dict[Hashable, Origin] = {}
        self._ends = 0.0
        self._timer: threading.Timer | None = None
        self._process = os.getpid()

    def emit(self, record: logging.LogRecord) -> None:
        """Writes or counts a line."""
        try:
            self._end_period_if_due()
            origin, line = self._origin(record), _line(record)
            if origin.left <= 0 or line in origin.written:
                origin.count(record)
                self._start_timer()
            else:
                origin.written.add(line)
                origin.left -= self._write(record)
        except Exception:  # like the library's handlers
            self.handleError(record)

    def close(self) -> None:
        """Writes the counts so far."""
        self.acquire()
        try:
            if self._timer is not None and self._process == os.getpid():
                self._timer.cancel()
            self._end_period()
        finally:
            self.release()
        super().close()

    def _origin(self, record: logging.LogRecord) -> Origin:
        key = _origin_of(record)
        if key not in self._origins and len(self._origins) >= MOST_ORIGINS:
            key = None
        return self._origins.setdefault(key, Origin())

    def _write(self, record: logging.LogRecord) -> int:
        text = self.format(record)
        self.stream.write(text + self.terminator)
        self.flush()
        return len(text)

    def _end_period_if_due(self) -> None:
        if self._process != os.getpid():  # in a fork, which has its parent's counts
            self._process, self._origins, self._timer = os.getpid(), {}, None
        now = self._clock()
        if now >= self._ends:
            self._end_period()
            self._ends = now + PERIOD_S

    def _end_period(self) -> None:
        origins, self._origins = self._origins, {}
        for origin in origins.values():
            if origin.summary is not None:
                try:
                    self._write(origin.summary)
                except Exception:  # as in `emit`
                    self.handleError(origin.summary)

    def _start_timer(self) -> None:
        """Makes sure that a count is written even if no line follows."""
        if self._timer is None:
            left_s = max(0.0, self._ends - self._clock())
            self._timer = threading.Timer(left_s, self._timer_fired)
            self._timer.daemon = True
            try:
                self._timer.start()
            except RuntimeError:  # out of threads; the next line writes the count
                self._timer = None

    def _timer_fired(self) -> None:
        self.acquire()
        try:
            self._timer = None
            self._end_period_if_due()
            if any(origin.repeated for origin in self._origins.values()):
                self._start_timer()
        finally:
            self.release()


def _origin_of(record: logging.LogRecord) -> Hashable:
    # A message with arguments is a constant format. It identifies the origin better than the line
    # of code if a library in C logs.
    text = str(record.msg) if record.args else None
    error = _exception(record)
    return (record.name, record.levelno, record.pathname, record.lineno, text, _raised_at(error))


def _raised_at(error: BaseException | None) -> Hashable:
    if error is None:
        return None
    innermost = deque(walk_tb(error.__traceback__), maxlen=1)
    return (type(error), *((frame.f_code.co_filename, line) for frame, line in innermost))


def _line(record: logging.LogRecord) -> int:
    """A digest of the line without its time."""
    if isinstance(record.msg, dict):  # an event of structlog
        left_out = ("timestamp", "exc_info")
        said = repr({key: value for key, value in record.msg.items() if key not in left_out})
    else:
        said = record.getMessage()
    return hash((said, str(_exception(record))))


def _exception(record: logging.LogRecord) -> BaseException | None:
    found: Any = record.exc_info
    if isinstance(record.msg, dict):
        found = record.msg.get("exc_info")
    if isinstance(found, tuple):
        found = found[1]
    elif found is True:
        found = sys.exc_info()[1]
    return found if isinstance(found, BaseException) else None


def _without_traceback(record: logging.LogRecord) -> logging.LogRecord:
    """Returns a copy that does not keep frames alive."""
    summary = copy.copy(record)
    summary.exc_info = summary.exc_text = summary.stack_info = None
    summary.__dict__["summary"] = {}
    if isinstance(record.msg, dict):
        dropped = ("exc_info", "stack")
        summary.msg = {key: value for key, value in record.msg.items() if key not in dropped}
    else:
        summary.msg, summary.args = record.getMessage(), ()
    if error := _exception(record):
        summary.__dict__["summary"]["exception"] = format_exception_only(error)[-1].strip()
    return summary
