"""deploy/kubernetes fits its schemas, itself, and the code: commands, ports, probes, variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain, product
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from arena import metrics as ports
from arena.config import Settings
from arena.gateway.gateway import CLOSE_S, DRAIN_S
from arena.gateway.health import LIVENESS
from arena.gateway.metrics import REGISTRY as OF_GATEWAY
from arena.health.facts import Health
from arena.liveness import EVERY_S
from arena.store.engine import CONNECTIONS, LOCK_MS
from dashboard.new_app import new_app
from dashboard.serve import SPARE, STOP_S
from dashboard.system.health import view as health_page
from tests.docs.commands import problems
from tests.manifests import (
    COMPONENT,
    FOLDER,
    ROOT,
    WORKLOADS,
    Manifest,
    kustomization,
    kustomizations,
    manifests,
    manifests_in,
    settings,
)
from workers.app import make_app
from workers.beat_metrics import GAUGES
from workers.heartbeat import LEAVE_S
from workers.metrics import REGISTRY as OF_WORKER

ALL = manifests()
PODS = [manifest for manifest in ALL if manifest.kind in WORKLOADS]
DEPLOYMENTS = {each.component: each for each in PODS if each.kind == "Deployment"}
OF = {kind: [each for each in ALL if each.kind == kind] for kind in {each.kind for each in ALL}}
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text()
README = (FOLDER / "README.md").read_text()
RELEASES = ("1.29", kubernetes_validate.latest_version())  # the oldest that the README names
# Not Kubernetes' own, so there is no schema here: what they refer to is checked below.
OF_OTHERS = {"Gateway", "GRPCRoute", "HTTPRoute", "PodMonitor", "PrometheusRule", "ScaledObject"}
PROCESSES: Mapping[str, ports.Process] = {
    "gateway": "gateway",
    "worker": "worker",
    "prompt-worker": "prompt worker",
    "beat": "beat",
    "dashboard": "dashboard",
}
SECRETS = {
    f"ARENA_{name.upper()}" for name, field in Settings.model_fields.items() if not field.repr
}
each_pod = pytest.mark.parametrize("pod", PODS, ids=str)


def spec(manifest: Manifest) -> Any:
    return manifest.content["spec"]


def matches(selector: Any, manifest: Manifest) -> bool:
    """Whether a selector chooses these pods."""
    labels = manifest.pod["metadata"]["labels"]
    return bool(selector["matchLabels"].items() <= labels.items())


def variables(container: Any) -> dict[str, Any]:
    """What a container's own variables are taken from, or their values."""
    return {each["name"]: each.get("valueFrom", each.get("value")) for each in container["env"]}


def test_every_role_is_there() -> None:
    assert set(DEPLOYMENTS) == set(PROCESSES)
    assert [each.component for each in PODS if each.kind == "Job"] == ["migrate"]


# Schemas, and how the files hang together


@pytest.mark.parametrize("manifest", ALL, ids=str)
def test_each_manifest_fits_its_schema(manifest: Manifest) -> None:
    if manifest.kind in OF_OTHERS:
        assert re.search(r"^[a-z0-9.]+/v1(alpha1)?$", manifest.content["apiVersion"])
        return
    for release in RELEASES:
        kubernetes_validate.validate(manifest.content, release, strict=True)


def test_each_file_is_named_by_a_kustomization_and_each_name_is_a_file() -> None:
    named = {place for each in kustomizations() for place in each.named()}
    named |= {file.resolve() for each in kustomizations() for file, _ in each.patches()}
    top = {each.folder for each in kustomizations() if each.folder.parent.name == "overlays"}
    there = {file for file in FOLDER.rglob("*.yaml") if file.name != "kustomization.yaml"}

    assert all(place.exists() for place in named)
    assert there <= named
    assert {each.folder for each in kustomizations()} <= named | top


def check_aim(file: Path, target: Any, known: list[Manifest]) -> None:
    """Whether a JSON patch changes something, and in every resource that its target names."""
    whole = re.compile(target["name"])
    (names,) = re.findall(r"\((.+)\)", target["name"])
    hit = [each for each in known if each.kind == target["kind"] and whole.fullmatch(each.name)]
    assert len({each.name for each in hit}) == len(names.split("|")), file
    for operation, each in product(yaml.safe_load(file.read_text()), hit):
        place = each.content
        for key in operation["path"].strip("/").split("/"):
            assert key in place, f"{operation['path']} of {each}"
            place = place[key]


def test_patches_replicas_and_generators_are_about_what_is_there() -> None:
    for each in kustomizations():
        base = kustomization(FOLDER / "base").resources()
        known = {(manifest.kind, manifest.name) for manifest in [*base, *each.resources()]}
        for file, target in each.patches():
            if target:
                check_aim(file, target, [*base, *each.resources()])
            else:
                for manifest in manifests_in(file):
                    assert (manifest.kind, manifest.name) in known, file
        replicated = {("Deployment", entry["name"]) for entry in each.content.get("replicas", ())}
        assert replicated <= known
        for generator in each.content.get("configMapGenerator", ()):
            assert generator["name"] == "arena"
            assert all((each.folder / env).exists() for env in generator.get("envs", ()))


def test_no_names_twice() -> None:
    for each in kustomizations():
        names = [(manifest.kind, manifest.name) for manifest in each.resources()]
        assert len(names) == len(set(names)), each.folder


# Commands and variables


@each_pod
def test_commands_are_commands_of_the_arena(pod: Manifest) -> None:
    probes = [pod.main.get(name, {}).get("exec") for name in ("startupProbe", "livenessProbe")]
    shown = [" ".join(["arena", *pod.main["args"]])]
    shown += [" ".join(probe["command"]) for probe in probes if probe]
    for container in pod.pod["spec"].get("initContainers", ()):
        shown += re.findall(r"arena [a-z ]+", container["command"][-1])
    assert all(line.startswith("arena ") for line in shown)
    assert problems(shown, whole=True) == []


@each_pod
def test_variables_are_settings_and_secrets_come_from_the_secret(pod: Manifest) -> None:
    for container in pod.containers:
        own = variables(container)
        assert {name.removeprefix("ARENA_").lower() for name in own} <= set(Settings.model_fields)
        for name, source in own.items():
            kept = {"secretKeyRef": {"name": "arena", "key": name}}
            assert (source == kept) == (name in SECRETS), name


def test_the_settings_of_all_are_valid_and_not_secret() -> None:
    given = settings()
    merged = [
        literal.split("=", 1)
        for each in kustomizations()
        for generator in each.content.get("configMapGenerator", ())
        for literal in generator.get("literals", ())
    ]
    for name, value in chain(given.items(), merged):
        field = name.removeprefix("ARENA_").lower()
        assert name not in SECRETS
        assert str(getattr(Settings.model_validate({field: value}), field)) == value


def test_nothing_secret_is_in_any_file() -> None:
    assert "Secret" not in OF
    for file in FOLDER.rglob("*"):
        if file.is_file() and file.suffix != ".md":
            assert not re.search(r"(postgresql|rediss?)://", file.read_text()), file


def test_each_process_gets_the_secrets_that_it_needs_and_no_others() -> None:
    stores = {"ARENA_DATABASE_URL", "ARENA_REDIS_URL"}
    wanted = {
        "gateway": stores | {"ARENA_ADMIN_TOKEN"},
        "dashboard": stores | {"ARENA_SECRET_KEY"},
        "migrate": {"ARENA_DATABASE_URL"},
    }
    for pod in PODS:
        got = SECRETS & set(variables(pod.main))
        assert got == wanted.get(pod.component, stores), pod
    made = set(re.findall(r"--from-literal=(ARENA_\w+)", README))
    assert made == set.union(*wanted.values())


# Ports and probes


@pytest.mark.parametrize("role", PROCESSES)
def test_ports_are_those_that_the_process_listens_on(role: str) -> None:
    given = Settings.model_validate(
        {name.removeprefix("ARENA_").lower(): value for name, value in settings().items()}
    )
    expected = {"metrics": ports.metrics_port(given, PROCESSES[role])}
    expected |= {"gateway": {"grpc": given.port}, "dashboard": {"http": given.dashboard_port}}.get(
        role, {}
    )
    declared = DEPLOYMENTS[role].main["ports"]
    assert {port["name"]: port["containerPort"] for port in declared} == expected


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


def test_probes_ask_what_there_is() -> None:
    app = new_app()
    app.register_blueprint(health_page.page)
    paths = {rule.rule for rule in app.url_map.iter_rules()}
    dashboard, gateway = DEPLOYMENTS["dashboard"].main, DEPLOYMENTS["gateway"].main
    asked = {name: dashboard[name]["httpGet"] for name in dashboard if name.endswith("Probe")}

    assert {probe["path"] for probe in asked.values()} == {"/livez", "/healthz"} <= paths
    assert {probe["port"] for probe in asked.values()} == {"http"}
    # A restart brings neither Redis nor the database back.
    assert asked["livenessProbe"]["path"] == asked["startupProbe"]["path"] == "/livez"
    assert gateway["livenessProbe"]["grpc"] == {"port": 7420, "service": LIVENESS}
    assert gateway["readinessProbe"]["grpc"] == {"port": 7420}


@pytest.mark.parametrize("role", ["worker", "prompt-worker", "beat"])
def test_what_serves_nothing_is_probed_by_its_file(role: str) -> None:
    main = DEPLOYMENTS[role].main
    file = variables(main)["ARENA_LIVENESS_FILE"]
    mounted = {mount["mountPath"] for mount in main["volumeMounts"]}
    (silent,) = [float(word) for word in main["livenessProbe"]["exec"]["command"] if word.isdigit()]

    assert file.rpartition("/")[0] in mounted, "elsewhere it can write nothing"
    assert silent >= 30 * EVERY_S
    assert main["startupProbe"]["exec"]["command"] == ["arena", "probe"]


# How pods start, stop and share nodes


@each_pod
def test_no_pod_may_do_more_than_it_needs(pod: Manifest) -> None:
    whole = pod.pod["spec"]
    assert whole["securityContext"]["runAsNonRoot"] is True
    assert f"--uid {whole['securityContext']['runAsUser']} " in DOCKERFILE
    assert whole["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert whole["automountServiceAccountToken"] is False
    # Of a Service `arena-dashboard` every pod would get ARENA_DASHBOARD_PORT=tcp://...
    assert whole["enableServiceLinks"] is False
    volumes = {volume["name"] for volume in whole["volumes"] if "emptyDir" in volume}
    for container in pod.containers:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        assert mounted == {"tmp": "/tmp", "data": "/var/lib/arena"}
        assert set(mounted) <= volumes
        assert {"cpu", "memory"} <= set(container["resources"]["requests"])
        assert "memory" in container["resources"]["limits"]


def test_pods_have_the_time_that_stopping_takes() -> None:
    lock_s, soft_s = LOCK_MS / 1000, make_app(Settings()).conf.worker_soft_shutdown_timeout
    takes = {
        "gateway": DRAIN_S + 2 * CLOSE_S,
        "worker": soft_s + lock_s + LEAVE_S,
        "prompt-worker": soft_s + lock_s + LEAVE_S,
        "beat": 0,
        "dashboard": STOP_S,
    }
    for role, pod in DEPLOYMENTS.items():
        hook = pod.main.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command")
        before = float(hook[1]) if hook else 0
        assert pod.pod["spec"]["terminationGracePeriodSeconds"] >= 2 * takes[role] + before, role
        assert (before > 0) == (role in ("gateway", "dashboard")), "others are sent nobody"


def test_there_is_one_beat_also_while_it_is_replaced() -> None:
    beat = spec(DEPLOYMENTS["beat"])
    assert beat["replicas"] == 1
    assert beat["strategy"] == {"type": "Recreate"}
    assert "arena-beat" not in {spec(each)["scaleTargetRef"]["name"] for each in OF["ScaledObject"]}
    for each in kustomizations():
        assert "arena-beat" not in [entry["name"] for entry in each.content.get("replicas", ())]


def test_all_but_beat_go_one_after_the_other() -> None:
    kept = {}
    for budget in OF["PodDisruptionBudget"]:
        (role,) = [
            role for role, pod in DEPLOYMENTS.items() if matches(spec(budget)["selector"], pod)
        ]
        kept[role] = spec(budget)["maxUnavailable"]
    assert kept == dict.fromkeys(set(PROCESSES) - {"beat"}, 1)
    for role in set(PROCESSES) - {"beat"}:
        (on_nodes, in_zones) = DEPLOYMENTS[role].pod["spec"]["topologySpreadConstraints"]
        for spread in (on_nodes, in_zones):
            assert matches(spread["labelSelector"], DEPLOYMENTS[role])


# Who may talk to whom


def test_nothing_comes_in_that_no_process_listens_for_and_nothing_else_is_closed() -> None:
    for role, pod in DEPLOYMENTS.items():
        opened = set()
        for policy in OF["NetworkPolicy"]:
            if matches(spec(policy)["podSelector"], pod):
                for rule in spec(policy).get("ingress", ()):
                    for port in rule["ports"]:
                        opened |= set(range(port["port"], port.get("endPort", port["port"]) + 1))
        listens = {port["containerPort"] for port in pod.main["ports"]}
        served = listens - {
            port["containerPort"] for port in pod.main["ports"] if port["name"] == "metrics"
        }
        others = {7430 + offset for offset in range(len(ports.OFFSETS))} - listens
        assert opened - others == listens, role
        assert served <= opened


def test_nobody_but_prometheus_sees_metrics() -> None:
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


# Metrics, alarms, scaling


def served_metrics() -> set[str]:
    """The names that gateway, workers and beat tell Prometheus."""
    families = [*OF_GATEWAY.collect(), *OF_WORKER.collect()]
    counted = {f"{family.name}_total" for family in families if family.type == "counter"}
    return counted | {
        *(f"arena_{name}" for name in GAUGES),
        *("arena_database", "arena_queue_age_seconds"),
    }


def test_alarms_are_those_of_the_documentation_on_metrics_that_are_served() -> None:
    (rules,) = OF["PrometheusRule"]
    told = {rule["expr"] for group in spec(rules)["groups"] for rule in group["rules"]}
    page = (ROOT / "docs/operations.md").read_text()
    table = page.split("Worth an alarm:")[1].split("\n## ")[0]
    documented = set(re.findall(r"^\| `(.+?)`(?: for a while)? \|", table, re.MULTILINE))

    assert told == documented | {"absent(arena_database)"}
    for expression in told:
        assert set(re.findall(r"arena_\w+", expression)) <= served_metrics(), expression


def test_prometheus_finds_every_pod_that_runs_on() -> None:
    (monitor,) = OF["PodMonitor"]
    (endpoint,) = spec(monitor)["podMetricsEndpoints"]
    for pod in DEPLOYMENTS.values():
        assert matches(spec(monitor)["selector"], pod)
        assert endpoint["port"] in [port["name"] for port in pod.main["ports"]]
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
    """How many database connections so many pods open at most; docs/configuration.md says so."""
    threads = int(settings()["ARENA_DASHBOARD_THREADS"])
    cores = int(DEPLOYMENTS["worker"].main["resources"]["limits"]["cpu"])
    each = {
        "gateway": CONNECTIONS,
        "worker": cores,
        "prompt-worker": CONNECTIONS,
        "beat": 2,  # its schedule, and its metrics
        "dashboard": threads + SPARE,
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


def test_commands_in_the_readme_exist() -> None:
    lines = re.findall(r"(?<=-- )arena .+|^(?:arena|make) .+", README, re.MULTILINE)
    assert lines
    assert problems(lines, whole=True) == []
    for place in re.findall(r"`(base|components/[\w-]+|overlays/\w+)`", README):
        assert (FOLDER / place).is_dir(), place
