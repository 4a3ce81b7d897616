"""Traces of decisions and results as OpenTelemetry spans. Disabled by default.

The ids of traces and spans are digests of a decision's ticket or a match's id. So worker, gateway
and bot trace the same decisions without extra data in messages.

    decision         worker: from sending it to receiving the answer
      gateway        gateway: from receiving it to passing the answer to Redis
        bot          gateway: from writing it to the bot's stream to reading the answer
          choose     the bot's program, if it uses the SDK with tracing
    result           worker: from the start of a match to its stored result
      play           from the start of a match to its end
      store          the transaction that stores and rates it

OpenTelemetry's variables set the destination, such as OTEL_EXPORTER_OTLP_ENDPOINT.
"""

from __future__ import annotations

import atexit
import os
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING

from arena.base.errors import InvalidRequest

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import SpanContext

VARIABLE = "ARENA_TRACE_SHARE"
PARENTS = {"gateway": "decision", "bot": "gateway", "choose": "bot", "play": "result"}
PARENTS["store"] = "result"
MOST_MARKS = 100_000  # of open decisions, including lost ones
NEEDED = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")

Attributes = Mapping[str, str | int]


class Tracer:
    """Creates the spans of a process for a `share` of all decisions and results."""

    def __init__(self, role: str, share: float, processor: SpanProcessor) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.util.instrumentation import InstrumentationScope

        self._below = round(share * 2**32)
        self._processor = processor
        self._resource = Resource.create({"service.name": f"arena-{role}"})
        self._scope = InstrumentationScope("arena")
        self._marks = OrderedDict[tuple[int, str], int]()

    def samples(self, number: int) -> bool:
        """Whether a decision or result is traced. All processes with this share agree."""
        return number & 0xFFFFFFFF < self._below

    def mark(self, numbers: Iterable[int], point: str) -> None:
        """Notes that decisions have reached a point now, as the start of spans."""
        now = time.time_ns()
        for number in numbers:
            if self.samples(number):
                self._marks[number, point] = now
        while len(self._marks) > MOST_MARKS:
            self._marks.popitem(last=False)

    def taken(self, number: int, point: str) -> int | None:
        """Returns and forgets when a decision reached a point (Unix nanoseconds)."""
        return self._marks.pop((number, point), None)

    def ended(self, numbers: Iterable[int], point: str, name: str) -> None:
        """Ends the spans of decisions that were marked at a point."""
        now = time.time_ns()
        for number in numbers:
            if (begun := self.taken(number, point)) is not None:
                self.span(number, name, begun, now)

    def span(
        self, number: int, name: str, begun: int, ended: int, attributes: Attributes | None = None
    ) -> None:
        """Sends a span of a decision or result. Times are Unix nanoseconds."""
        from opentelemetry.sdk.trace import ReadableSpan

        parent = PARENTS.get(name)
        self._processor.on_end(
            ReadableSpan(
                name,
                _context(number, name),
                None if parent is None else _context(number, parent),
                self._resource,
                attributes=attributes,
                start_time=begun,
                end_time=max(begun, ended),
                instrumentation_scope=self._scope,
            )
        )

    def close(self) -> None:
        """Sends all pending spans."""
        self._processor.shutdown()


def _context(number: int, name: str) -> SpanContext:
    from opentelemetry.trace import SpanContext, TraceFlags

    of_number = number.to_bytes(8, "little")
    return SpanContext(
        trace_id=int.from_bytes(sha256(of_number).digest()[:16]),
        span_id=int.from_bytes(sha256(of_number + name.encode()).digest()[:8]),
        is_remote=False,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )


def number_of(match: str) -> int:
    """The number of a match's result in `Tracer`."""
    return int.from_bytes(sha256(match.encode()).digest()[:8])


_asked: tuple[str, float] = ("", 0.0)
_current: tuple[int, Tracer] | None = None  # with its process


def configure(role: str, share: float) -> None:
    """Sets the share of decisions and results that this process and its forks trace. Raises
    InvalidRequest if it is not from 0 to 1, or a package is missing."""
    global _asked, _current
    if not 0 <= share <= 1:
        raise InvalidRequest(f"{VARIABLE} is {share:g}. It must be a share from 0 to 1.")
    if share and not all(map(_is_there, NEEDED)):
        raise InvalidRequest(
            f"{VARIABLE} enables traces, but OpenTelemetry is not installed. Install it with: "
            "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"
        )
    _asked, _current = (role, share), None


def share_asked_for() -> float:
    """The share in the environment, for bots, which have no other settings. Raises
    InvalidRequest."""
    said = os.environ.get(VARIABLE) or "0"
    try:
        return float(said)
    except ValueError:
        raise InvalidRequest(f"{VARIABLE} is {said!r}. It must be a share from 0 to 1.") from None


def tracer() -> Tracer | None:
    """This process's tracer; None if tracing is disabled."""
    global _current
    role, share = _asked
    if not share:
        return None
    if _current is None or _current[0] != os.getpid():
        _current = os.getpid(), Tracer(role, share, _exporting())
        atexit.register(_current[1].close)
    return _current[1]


def close() -> None:
    """Sends the pending spans of a process that ends without `atexit`."""
    if _current is not None and _current[0] == os.getpid():
        _current[1].close()


def _exporting() -> SpanProcessor:
    # Over HTTP, because workers fork, which gRPC does not support.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    return BatchSpanProcessor(OTLPSpanExporter())


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
