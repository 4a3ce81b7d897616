"""What Prometheus and Grafana are asked for in deploy/ is what the processes have."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

import yaml
from flask import Flask
from prometheus_client import CollectorRegistry
from prometheus_client.core import Metric

from arena.base.metrics import OFFSETS
from arena.service.gateway import metrics as of_gateway
from arena.service.gateway.certificate import Certificate
from arena.service.health.facts import Health
from arena.service.live.clocks import MachineClock
from arena.service.live.ready import TournamentQueue
from dashboard.sources import Sources
from dashboard.system import metrics as of_dashboard
from tests.certificates import self_signed
from tests.compose_file import DEPLOY, SERVICES, networks
from workers.setup import beat_metrics
from workers.setup import metrics as of_worker

PROMETHEUS = yaml.safe_load((DEPLOY / "prometheus/prometheus.yaml").read_text())
RULES = yaml.safe_load((DEPLOY / "prometheus/rules.yaml").read_text())["groups"][0]["rules"]
PANELS = json.loads((DEPLOY / "grafana/dashboards/arena.json").read_text())["panels"]
OPERATIONS = (DEPLOY.parent / "docs/operations.md").read_text()
BY_PROMETHEUS = {"instance", "job", "le"}


def registries() -> Iterator[CollectorRegistry]:
    yield of_gateway.REGISTRY
    yield of_worker.REGISTRY
    sources = SimpleNamespace(reader=SimpleNamespace(failures=0))
    yield of_dashboard.register(Flask("dashboard"), cast("Sources", sources))


def of_beat() -> Iterator[Metric]:
    """All that beat tells of an arena."""
    facts: dict[str, Any] = {each.name: 1 for each in fields(Health)}
    yield from beat_metrics.of_arena(Health(**facts), 0.0)
    yield beat_metrics.without_worker(TournamentQueue(), 0.0)
    yield beat_metrics.clock_offsets([MachineClock("worker", "here", 0.0)])
    yield beat_metrics.free_space({"data": DEPLOY})


def known() -> dict[str, set[str]]:
    """The names of all samples, with their labels."""
    found: dict[str, set[str]] = {"up": set()}
    for collector in (c for each in registries() for c in list(each._collector_to_names)):
        labels = set(getattr(collector, "_labelnames", ()))
        for family in collector.collect():
            ends = {
                "counter": ("_total",),
                "histogram": ("_bucket", "_sum", "_count"),
                "gauge": ("",),
            }[family.type]
            for end in ends:
                found.setdefault(f"{family.name}{end}", set()).update(labels)
    with TemporaryDirectory() as folder:
        certificate = Certificate(*self_signed(Path(folder), "arena.example"))
        of_certificate = list(certificate.collect())
    for family in (*of_beat(), *of_certificate):
        found[family.name] = {label for sample in family.samples for label in sample.labels}
    return found


KNOWN = known()


def unknown(expression: str) -> set[str]:
    """Names of metrics and labels in a query that no process has."""
    metrics = set(re.findall(r"\b(?:arena_\w+|up)\b", expression))
    labels = {
        label.strip()
        for listed in re.findall(r"\bby \(([^)]*)\)", expression)
        for label in listed.split(",")
    } | set(re.findall(r"[{,]\s*(\w+)\s*=", expression))
    have = BY_PROMETHEUS.union(*(KNOWN[name] for name in metrics if name in KNOWN))
    return (metrics - KNOWN.keys()) | (labels - have)


def targets() -> list[dict[str, Any]]:
    return [target for panel in PANELS for target in panel.get("targets", ())]


def test_query_for_an_unknown_metric_is_noticed() -> None:
    assert unknown("sum by (game) (rate(arena_matches_total[2m]))") == set()
    assert unknown('sum by (colour) (rate(arena_match_total{kind="x"}[2m]))') == {
        "arena_match_total",
        "colour",
        "kind",
    }


def test_alarms_are_about_metrics_that_there_are() -> None:
    assert RULES
    for rule in RULES:
        assert unknown(rule["expr"]) == set(), rule["alert"]


def test_the_operations_page_names_metrics_that_there_are() -> None:
    told = set(re.findall(r"`(arena_\w+)`", OPERATIONS))
    assert len(told) > 10
    assert {each for each in told if not {each, f"{each}_count"} & KNOWN.keys()} == set()


def test_panels_show_metrics_that_there_are() -> None:
    assert len(targets()) > 20
    for target in targets():
        assert unknown(target["expr"]) == set(), target["expr"]


def test_a_legend_names_labels_that_the_query_keeps() -> None:
    for target in targets():
        named = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
        kept = re.findall(r"\bby \(([^)]*)\)", target["expr"])
        left = {label.strip() for label in kept[-1].split(",")} if kept else BY_PROMETHEUS
        assert named <= left, target


def test_panels_do_not_overlap_and_get_their_numbers_from_the_source_that_is_set_up() -> None:
    file = DEPLOY / "grafana/provisioning/datasources/prometheus.yaml"
    (source,) = yaml.safe_load(file.read_text())["datasources"]
    assert {target["datasource"]["uid"] for target in targets()} == {source["uid"]}
    taken = set[tuple[int, int]]()
    for panel in PANELS:
        place = panel["gridPos"]
        squares = {
            (place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])
        }
        assert not squares & taken, panel["title"]
        assert max(x for x, _ in squares) < 24
        taken |= squares


def test_prometheus_asks_every_process_at_its_port() -> None:
    first = int(SERVICES["beat"]["environment"]["ARENA_METRICS_PORT"])
    asked = dict[str, int]()
    for job in PROMETHEUS["scrape_configs"]:
        for group in job.get("static_configs", ()):
            asked |= {host: int(port) for host, port in (t.split(":") for t in group["targets"])}
        for found in job.get("dns_sd_configs", ()):
            asked |= dict.fromkeys(found["names"], found["port"])
    processes = {
        "gateway-1": "gateway",
        "gateway-2": "gateway",
        "worker": "worker",
        "prompt-worker": "prompt worker",
        "review-worker": "review worker",
        "beat": "beat",
        "dashboard": "dashboard",
    }
    assert asked == {name: first + OFFSETS[process] for name, process in processes.items()}  # type: ignore[index]
    assert all(networks(name) & networks("prometheus") for name in asked)


def test_files_are_where_prometheus_and_grafana_look_for_them() -> None:
    def seen(service: str) -> dict[str, Path]:
        """What is mounted, by where."""
        mounts = [mount.split(":") for mount in SERVICES[service]["volumes"]]
        return {mount[1]: DEPLOY / mount[0] for mount in mounts if mount[0].startswith(".")}

    (folder,) = seen("prometheus").items()
    command = " ".join(SERVICES["prometheus"]["command"])
    for file in (*re.findall(r"--config\.file=(\S+)", command), *PROMETHEUS["rule_files"]):
        assert (folder[1] / Path(file).relative_to(folder[0])).is_file()
    file = DEPLOY / "grafana/provisioning/dashboards/arena.yaml"
    (provider,) = yaml.safe_load(file.read_text())["providers"]
    assert (seen("grafana")[provider["options"]["path"]] / "arena.json").is_file()
