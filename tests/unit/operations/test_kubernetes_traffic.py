"""Who may talk to whom on Kubernetes, what is told to Prometheus, and what is scaled by that."""

import re
from collections.abc import Mapping

import pytest
import yaml

from arena.base import metrics as ports
from arena.sdk.address import address
from arena.service.health.facts import Health
from arena.store.engine import CONNECTIONS
from dashboard.serve import SPARE
from tests.manifests import (
    COMPONENT,
    DEPLOYMENTS,
    FOLDER,
    OF,
    PODS,
    README,
    ROOT,
    kustomization,
    matches,
    settings,
    spec,
    variables,
)


def test_services_lead_to_pods() -> None:
    for service in OF["Service"]:
        (target,) = [
            each
            for each in DEPLOYMENTS.values()
            if matches({"matchLabels": spec(service)["selector"]}, each)
        ]
        by_name = {port["name"]: port["containerPort"] for port in target.main["ports"]}
        for port in spec(service)["ports"]:
            assert by_name[port["targetPort"]] == port["port"]


def test_routes_lead_to_services() -> None:
    known = {(each.name, port["port"]) for each in OF["Service"] for port in spec(each)["ports"]}
    (gateway,) = OF["Gateway"]
    listeners = {each["name"]: each["hostname"] for each in spec(gateway)["listeners"]}
    for route in (*OF["HTTPRoute"], *OF["GRPCRoute"]):
        for rule in spec(route)["rules"]:
            assert {(each["name"], each["port"]) for each in rule["backendRefs"]} <= known
        (parent,) = spec(route)["parentRefs"]
        assert parent["name"] == gateway.name
        assert spec(route)["hostnames"] == [listeners[parent["sectionName"]]]


def test_nothing_comes_in_that_no_process_listens_for_and_nothing_else_is_closed() -> None:
    for role, pod in DEPLOYMENTS.items():
        opened = set()
        for policy in OF["NetworkPolicy"]:
            if matches(spec(policy)["podSelector"], pod):
                for rule in spec(policy).get("ingress", ()):
                    for port in rule["ports"]:
                        opened |= set(range(port["port"], port.get("endPort", port["port"]) + 1))
        declared = pod.main.get("ports", ())
        listens = {port["containerPort"] for port in declared}
        served = {port["containerPort"] for port in declared if port["name"] != "metrics"}
        others = {7430 + offset for offset in range(len(ports.OFFSETS))} - listens
        assert opened - others == listens, role
        assert served <= opened


@pytest.mark.parametrize("role", ["house", "host"])
def test_processes_with_bots_find_and_may_reach_gateways(role: str) -> None:
    pod, gateway = DEPLOYMENTS[role], DEPLOYMENTS["gateway"]
    args = pod.main["args"]
    name, port = address(args[args.index("--url") + 1]).place.split(":")
    (service,) = [each for each in OF["Service"] if each.name == name]
    assert matches({"matchLabels": spec(service)["selector"]}, gateway)
    assert int(port) in [each["port"] for each in spec(service)["ports"]]

    rules = [
        rule
        for policy in OF["NetworkPolicy"]
        if matches(spec(policy)["podSelector"], pod)
        for rule in spec(policy).get("egress", ())
        for peer in rule["to"]
        if "podSelector" in peer and matches(peer["podSelector"], gateway)
    ]
    assert [each["port"] for rule in rules for each in rule["ports"]] == [int(port)]


def test_only_prometheus_can_read_metrics() -> None:
    for policy in OF["NetworkPolicy"]:
        for rule in spec(policy).get("ingress", ()):
            wide = "from" not in rule
            assert not (wide and any(port["port"] >= 7430 for port in rule["ports"])), policy


def test_all_that_is_not_said_is_denied() -> None:
    (deny,) = [each for each in OF["NetworkPolicy"] if each.name == "arena-deny-all"]
    assert spec(deny)["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in spec(deny)
    assert "egress" not in spec(deny)
    assert all(matches(spec(deny)["podSelector"], pod) for pod in PODS)


def test_alarms_are_those_of_prometheus_but_for_pods_that_are_away() -> None:
    (rules,) = OF["PrometheusRule"]
    (group,) = spec(rules)["groups"]
    (others,) = yaml.safe_load((ROOT / "deploy/prometheus/rules.yaml").read_text())["groups"]

    assert group["rules"] == [each for each in others["rules"] if "up ==" not in each["expr"]]


def test_prometheus_finds_every_pod_that_runs_on() -> None:
    (monitor,) = OF["PodMonitor"]
    (endpoint,) = spec(monitor)["podMetricsEndpoints"]
    for role, pod in DEPLOYMENTS.items():
        assert matches(spec(monitor)["selector"], pod)
        names = [port["name"] for port in pod.main.get("ports", ())]
        assert (endpoint["port"] in names) == (role not in ("house", "host")), "they count nothing"
    assert set(spec(monitor)["podTargetLabels"]) == {COMPONENT}


def test_scaling_reads_numbers_that_the_dashboard_tells() -> None:
    (namespace,) = OF["Namespace"]
    for scaled in OF["ScaledObject"]:
        assert spec(scaled)["scaleTargetRef"]["name"] in {each.name for each in PODS}
        for trigger in spec(scaled)["triggers"]:
            place = f"http://arena-dashboard.{namespace.name}.svc:7421/api/health"
            assert trigger["metadata"]["url"] == place
            assert trigger["metadata"]["valueLocation"] in Health.__dataclass_fields__


def test_workers_are_scaled_by_batches_that_wait_and_that_are_played() -> None:
    (scaled,) = [each for each in OF["ScaledObject"] if each.name == "arena-worker"]
    modifiers, triggers = spec(scaled)["advanced"]["scalingModifiers"], spec(scaled)["triggers"]
    worker = DEPLOYMENTS["worker"].main

    assert modifiers["formula"] == "queued + played"
    assert {trigger["name"] for trigger in triggers} == {"queued", "played"}
    # One batch for each process of a worker, which has one for each core.
    assert modifiers["target"] == worker["resources"]["limits"]["cpu"]
    source = variables(worker)["ARENA_WORKERS"]["resourceFieldRef"]
    assert source == {"containerName": "arena", "resource": "limits.cpu"}


def connections(replicas: Mapping[str, int]) -> int:
    """Return the most database connections of these pods, as docs/deploying.md lists them."""
    threads = int(settings()["ARENA_DASHBOARD_THREADS"])
    cores = int(DEPLOYMENTS["worker"].main["resources"]["limits"]["cpu"])
    each = {
        "gateway": CONNECTIONS,
        "worker": cores,
        "prompt-worker": CONNECTIONS,
        "review-worker": 1,
        "beat": 2,  # its schedule, and its metrics
        "dashboard": threads + SPARE,
        "house": 1,  # while it registers its bots
        "host": CONNECTIONS,
    }
    return sum(each[role] * count for role, count in replicas.items())


def test_the_readme_says_how_many_connections_the_database_must_allow() -> None:
    base = {role: spec(pod)["replicas"] for role, pod in DEPLOYMENTS.items()}
    small = base | {
        entry["name"].removeprefix("arena-"): entry["count"]
        for entry in kustomization(FOLDER / "overlays/small").content["replicas"]
    }
    production = base | {
        spec(each)["scaleTargetRef"]["name"].removeprefix("arena-"): spec(each)["maxReplicaCount"]
        for each in OF["ScaledObject"]
    }
    told = dict(re.findall(r"^\| `overlays/(\w+)` \|.*\| (\d+) \|$", README, re.MULTILINE))

    assert {name: int(number) for name, number in told.items()} == {
        "small": connections(small),
        "production": connections(production),
    }
