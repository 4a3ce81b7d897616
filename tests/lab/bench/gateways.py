"""Several gateways in the arena of a measurement, and what they have counted."""

from __future__ import annotations

import urllib.request
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from prometheus_client.parser import text_string_to_metric_families

from arena.operations.supervise import ports, stack
from arena.operations.supervise.machine import Machine

TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Gateway:
    """Where bots connect to a gateway, and where it shows its metrics."""

    place: str
    metrics: str


@dataclass(frozen=True)
class Counted:
    """What all gateways have counted so far: decisions sent to bots, the messages they were in, and
    bots connected now."""

    decisions: int
    messages: int
    connected: int


@dataclass(frozen=True)
class Leg:
    """The messages that went one way, and their bytes."""

    messages: int
    bytes: int


def start_gateways(arena: Machine, count: int) -> list[Gateway]:
    """Starts so many gateways in place of the arena's one; they are called gateway-1 and so on.

    Of all the arena's processes only these show metrics: a worker that does would count into files,
    which costs time. Raises Unavailable when one does not start.
    """
    arena.supervisor.end("gateway")
    gateways, names, taken = [], [], [arena.settings.port]
    host = stack.within_reach(arena.settings.host)
    for number in range(1, count + 1):
        port = ports.any_free(host, taken)
        metrics_port = ports.any_free(host, [*taken, port])
        taken += [port, metrics_port]
        changed = {"port": port, "metrics_port": metrics_port}
        spec = stack.gateway(arena.settings.model_copy(update=changed))
        names.append(f"gateway-{number}")
        arena.supervisor.start(replace(spec, name=names[-1]))
        gateways.append(Gateway(f"{host}:{port}", f"http://{host}:{metrics_port}/metrics"))
    arena.supervisor.await_ready(*names)
    return gateways


def counted(gateways: Sequence[Gateway]) -> Counted:
    """What these have counted so far, all together."""
    total: Counter[str] = Counter()
    for gateway in gateways:
        total.update(samples(_page(gateway)))
    return Counted(
        total["arena_decisions_sent_total"],
        total["arena_batch_decisions_count"],
        total["arena_sessions"],
    )


def traffic(gateways: Sequence[Gateway]) -> dict[str, Leg]:
    """The messages that came to these gateways or left them so far, by way."""
    messages, sizes = Counter[str](), Counter[str]()
    for gateway in gateways:
        for family in text_string_to_metric_families(_page(gateway)):
            for sample in family.samples:
                if sample.name == "arena_messages_total":
                    messages[sample.labels["way"]] += int(sample.value)
                elif sample.name == "arena_message_bytes_total":
                    sizes[sample.labels["way"]] += int(sample.value)
    return {way: Leg(messages[way], sizes[way]) for way in messages}


def _page(gateway: Gateway) -> str:
    with urllib.request.urlopen(gateway.metrics, timeout=TIMEOUT_S) as answer:
        page: bytes = answer.read()
    return page.decode()


def samples(text: str) -> dict[str, int]:
    """The samples without labels of an answer for Prometheus, by name."""
    return {
        sample.name: int(sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.labels
    }
