"""Traces: which decisions are traced, and what their spans say."""

import importlib.util
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from arena.base import tracing
from arena.base.errors import InvalidRequest
from arena.base.tracing import Tracer

TICKET = 0x0123_4567_0000_0001


@pytest.fixture
def kept() -> InMemorySpanExporter:
    return InMemorySpanExporter()


def tracer(kept: InMemorySpanExporter, role: str = "worker", share: float = 1.0) -> Tracer:
    return Tracer(role, share, SimpleSpanProcessor(kept))


@pytest.fixture(autouse=True)
def nothing_is_traced_afterwards() -> Iterator[None]:
    yield
    tracing.configure("", 0)


def ids(span: ReadableSpan) -> tuple[int, int, int | None]:
    assert span.context is not None
    parent = span.parent.span_id if span.parent else None
    return span.context.trace_id, span.context.span_id, parent


def test_processes_tell_of_one_decision_as_one_trace(kept: InMemorySpanExporter) -> None:
    tracer(kept, "worker").span(TICKET, "decision", 1, 9)
    tracer(kept, "gateway").span(TICKET, "gateway", 2, 8)
    tracer(kept, "gateway").span(TICKET, "bot", 3, 7)
    tracer(kept, "bot").span(TICKET, "choose", 4, 6)
    tracer(kept, "worker").span(TICKET + 1, "decision", 1, 9)

    *spans, other = kept.get_finished_spans()

    traces, own, parents = zip(*map(ids, spans), strict=True)
    assert len(set(traces)) == 1
    assert parents == (None, *own[:-1])
    assert len(set(own)) == 4
    assert ids(other)[0] != traces[0]
    services = [span.resource.attributes["service.name"] for span in spans]
    assert services == ["arena-worker", "arena-gateway", "arena-gateway", "arena-bot"]


def test_a_span_is_from_one_point_to_another(kept: InMemorySpanExporter) -> None:
    made = tracer(kept)

    made.mark([TICKET], "sent")
    made.ended([TICKET, TICKET + 1], "sent", "decision")
    made.ended([TICKET], "sent", "decision")

    (span,) = kept.get_finished_spans()
    assert span.start_time is not None
    assert span.end_time is not None
    assert span.start_time <= span.end_time


def test_a_share_is_the_same_decisions_everywhere(kept: InMemorySpanExporter) -> None:
    tickets = [number * 2_654_435_769 & 0xFFFFFFFF for number in range(10_000)]
    one, two = tracer(kept, "worker", 0.1), tracer(kept, "gateway", 0.1)

    chosen = [ticket for ticket in tickets if one.samples(ticket)]

    assert 900 < len(chosen) < 1_100
    assert chosen == [ticket for ticket in tickets if two.samples(ticket)]
    assert not tracer(kept, share=0).samples(0)
    assert tracer(kept).samples(2**64 - 1)


def test_marks_of_lost_decisions_are_dropped(
    kept: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "MOST_MARKS", 10)
    made = tracer(kept)

    made.mark(range(100), "sent")

    assert [number for number in range(100) if made.taken(number, "sent") is not None] == list(
        range(90, 100)
    )


def test_without_a_share_there_is_no_tracer() -> None:
    tracing.configure("worker", 0)

    assert tracing.tracer() is None


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_is_from_0_to_1(share: float) -> None:
    with pytest.raises(InvalidRequest, match="a share from 0 to 1"):
        tracing.configure("worker", share)


def test_share_of_a_bot_must_be_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tracing.VARIABLE, "all")

    with pytest.raises(InvalidRequest, match="ARENA_TRACE_SHARE is 'all'"):
        tracing.share_asked_for()


def test_without_the_packages_the_sentence_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tracing, "find_spec", lambda name: None)
    assert importlib.util.find_spec("opentelemetry.sdk") is not None

    with pytest.raises(InvalidRequest, match="pip install opentelemetry-sdk "):
        tracing.configure("worker", 0.5)
