"""Traces of decisions and results, as OpenTelemetry spans; none unless a share is asked for.

Which are traced, and as what, follows from their numbers alone: the ids of a trace and of its spans
are digests of a decision's ticket or of a match's id. So worker, gateway and bot tell of the same
decision without telling each other anything, and messages are what they are without tracing.

    decision         worker: from sending it to having the answer
      gateway        gateway: from taking it in to giving the answer to Redis
        bot          gateway: from writing it to the bot's stream to reading the answer
          choose     the bot's program, if it is written with the SDK and traces, too
    result           worker: from the beginning of a match to having its result in the database
      play           until it was over
      store          the transaction in which it was stored and rated

Where spans go is said by the variables of OpenTelemetry, such as OTEL_EXPORTER_OTLP_ENDPOINT.
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
MOST_MARKS = 100_000  # of decisions that are under way; what is lost on its way stays until then
NEEDED = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")

Attributes = Mapping[str, str | int]


class Tracer:
    """Makes spans in one process; `share` of all decisions and results are traced."""

    def __init__(self, role: str, share: float, processor: SpanProcessor) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.util.instrumentation import InstrumentationScope

        self._below = round(share * 2**32)
        self._processor = processor
        self._resource = Resource.create({"service.name": f"arena-{role}"})
        self._scope = InstrumentationScope("arena")
        self._marks = OrderedDict[tuple[int, str], int]()

    def samples(self, number: int) -> bool:
        """Whether a decision or result is traced; in all processes with this share alike."""
        return number & 0xFFFFFFFF < self._below

    def mark(self, numbers: Iterable[int], point: str) -> None:
        """So far decisions have come at this moment, for the spans that begin here."""
        now = time.time_ns()
        for number in numbers:
            if self.samples(number):
                self._marks[number, point] = now
        while len(self._marks) > MOST_MARKS:
            self._marks.popitem(last=False)

    def taken(self, number: int, point: str) -> int | None:
        """When a decision was there (Unix nanoseconds), which is then forgotten."""
        return self._marks.pop((number, point), None)

    def ended(self, numbers: Iterable[int], point: str, name: str) -> None:
        """These decisions, as far as they were marked there, end a span of this name now."""
        now = time.time_ns()
        for number in numbers:
            if (begun := self.taken(number, point)) is not None:
                self.span(number, name, begun, now)

    def span(
        self, number: int, name: str, begun: int, ended: int, attributes: Attributes | None = None
    ) -> None:
        """One span of the trace of a decision or result, in Unix nanoseconds."""
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
        """Sends what is still to be sent."""
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
    """What stands for a result in `Tracer`."""
    return int.from_bytes(sha256(match.encode()).digest()[:8])


_asked: tuple[str, float] = ("", 0.0)
_current: tuple[int, Tracer] | None = None  # and the process that it is of


def configure(role: str, share: float) -> None:
    """Traces so much of what this process and its forks do from now on; 0 for nothing. Raises
    InvalidRequest for no share, or where a package is missing."""
    global _asked, _current
    if not 0 <= share <= 1:
        raise InvalidRequest(f"{VARIABLE} is {share:g}; it is a share, from 0 to 1.")
    if share and not all(map(_is_there, NEEDED)):
        raise InvalidRequest(
            f"{VARIABLE} turns on traces, but OpenTelemetry is not installed. Install it with: "
            "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"
        )
    _asked, _current = (role, share), None


def share_asked_for() -> float:
    """What the variable of the environment says; for bots, which have no other settings. Raises
    InvalidRequest."""
    said = os.environ.get(VARIABLE) or "0"
    try:
        return float(said)
    except ValueError:
        raise InvalidRequest(f"{VARIABLE} is {said!r}; it is a share, from 0 to 1.") from None


def tracer() -> Tracer | None:
    """This process's tracer; None where nothing is traced."""
    global _current
    role, share = _asked
    if not share:
        return None
    if _current is None or _current[0] != os.getpid():
        _current = os.getpid(), Tracer(role, share, _exporting())
        atexit.register(_current[1].close)
    return _current[1]


def close() -> None:
    """Sends what this process has not sent yet; for one that ends without `atexit`."""
    if _current is not None and _current[0] == os.getpid():
        _current[1].close()


def _exporting() -> SpanProcessor:
    # Over HTTP: workers fork, which gRPC does not bear.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    return BatchSpanProcessor(OTLPSpanExporter())


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
