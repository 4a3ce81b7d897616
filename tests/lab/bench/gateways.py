"""Several gateways in the arena of a measurement, and their metrics."""

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
    """A gateway's addresses for bots and for metrics."""

    place: str
    metrics: str


@dataclass(frozen=True)
class Counted:
    """Totals of all gateways: decisions sent to bots, their messages, and connected bots."""

    decisions: int
    messages: int
    connected: int


@dataclass(frozen=True)
class Leg:
    """The number of messages in one direction, and their bytes."""

    messages: int
    bytes: int


def start_gateways(arena: Machine, count: int) -> list[Gateway]:
    """Replace the gateway of the arena by `count` gateways, named gateway-1 and so on.

    Only these processes serve metrics, because a worker would count into files, which takes time.
    Raises Unavailable if one does not start.
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
    """Return the totals of these gateways so far."""
    total: Counter[str] = Counter()
    for gateway in gateways:
        total.update(samples(_page(gateway)))
    return Counted(
        total["arena_decisions_sent_total"],
        total["arena_batch_decisions_count"],
        total["arena_sessions"],
    )


def traffic(gateways: Sequence[Gateway]) -> dict[str, Leg]:
    """Return the messages through these gateways so far, by direction."""
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
    """Return the samples without labels of a Prometheus page, by name."""
    return {
        sample.name: int(sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.labels
    }
