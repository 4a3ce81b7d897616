"""Traces of an arena that runs: a decision from worker to bot and back, a result to the rating."""

import gzip
import threading
from collections import defaultdict
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests import nursery


class Collector:
    """What OpenTelemetry sends its spans to: those of each service, by trace."""

    def __init__(self) -> None:
        self.traces = defaultdict[bytes, dict[str, tuple[str, Span]]](dict)

    def take(self, body: bytes) -> None:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            names = {each.key: each.value.string_value for each in resource.resource.attributes}
            for scope in resource.scope_spans:
                for span in scope.spans:
                    self.traces[span.trace_id][span.name] = names["service.name"], span


@pytest.fixture
def collector() -> Iterator[tuple[Collector, str]]:
    """A collector, and its address."""
    kept = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            packed = self.headers.get("Content-Encoding") == "gzip"
            kept.take(gzip.decompress(body) if packed else body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield kept, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.timeout(120)
def test_a_whole_arena_is_traced(collector: tuple[Collector, str], tmp_path: Path) -> None:
    kept, address = collector
    asked = {
        "ARENA_TRACE_SHARE": "1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": address,
        "OTEL_BSP_SCHEDULE_DELAY": "200",
    }
    words = ("--matches", "1", "--seats", "6", "--data", str(tmp_path / "demo"))

    demo = nursery.start("arena.cli", "demo", *words, env=asked)

    said, _ = demo.communicate(timeout=100)
    assert demo.returncode == 0, said
    decisions = [trace for trace in kept.traces.values() if "decision" in trace]
    whole = [trace for trace in decisions if len(trace) == 4]
    assert len(whole) > 0.9 * len(decisions) > 100
    services = {name: service for name, (service, _) in whole[0].items()}
    assert services == {
        "decision": "arena-worker",
        "gateway": "arena-gateway",
        "bot": "arena-gateway",
        "choose": "arena-bot",
    }
    for trace in whole:
        outer, between, inner = (trace[name][1] for name in ("decision", "gateway", "bot"))
        assert (between.parent_span_id, inner.parent_span_id) == (outer.span_id, between.span_id)
        assert outer.start_time_unix_nano <= between.start_time_unix_nano
        assert inner.end_time_unix_nano <= between.end_time_unix_nano
    results = [trace for trace in kept.traces.values() if "result" in trace]
    assert len(results) == 6
    assert all(set(trace) == {"result", "play", "store"} for trace in results)
