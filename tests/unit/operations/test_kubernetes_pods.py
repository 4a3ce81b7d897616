"""The pods of deploy/kubernetes fit the code: commands, variables, ports, probes, times to stop."""

import re
from collections.abc import Mapping
from itertools import chain

import pytest

from arena.base import metrics as ports
from arena.base.config import Settings
from arena.base.liveness import EVERY_S
from arena.operations.supervise.supervisor import STOP_LAST_S
from arena.operations.supervise.supervisor import STOP_S as STOP_BOTS_S
from arena.service.gateway.gateway import CLOSE_S, DRAIN_S
from arena.service.gateway.health import LIVENESS
from arena.service.host.host import STOP_S as STOP_HOST_S
from arena.service.live.hosting import LEASE_S, RENEW_S
from arena.store.engine import LOCK_MS
from dashboard.new_app import new_app
from dashboard.status import view as health_page
from dashboard.system.http_server import STOP_S
from tests.docs.commands import problems
from tests.manifests import (
    DEPLOYMENTS,
    OF,
    PODS,
    README,
    ROOT,
    Manifest,
    kustomizations,
    matches,
    settings,
    spec,
    variables,
)
from workers.setup.app import make_app
from workers.setup.heartbeat import LEAVE_S

DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text()
PROCESSES: Mapping[str, ports.Process] = {
    "gateway": "gateway",
    "worker": "worker",
    "prompt-worker": "prompt worker",
    "review-worker": "review worker",
    "beat": "beat",
    "dashboard": "dashboard",
}
SECRETS = {
    f"ARENA_{name.upper()}" for name, field in Settings.model_fields.items() if not field.repr
}
ROLES = {*PROCESSES, "house", "host"}  # the last two serve no metrics
each_pod = pytest.mark.parametrize("pod", PODS, ids=str)


def test_every_role_is_there() -> None:
    assert set(DEPLOYMENTS) == ROLES
    assert [each.component for each in PODS if each.kind == "Job"] == ["migrate"]


@each_pod
def test_commands_are_commands_of_the_arena(pod: Manifest) -> None:
    probes = [pod.main.get(name, {}).get("exec") for name in ("startupProbe", "livenessProbe")]
    shown = [" ".join(["arena", *pod.main["args"]])]
    shown += [" ".join(probe["command"]) for probe in probes if probe]
    for container in pod.pod["spec"].get("initContainers", ()):
        shown += re.findall(r"arena [a-z ]+", container["command"][-1])
    assert all(line.startswith("arena ") for line in shown)
    assert problems(shown, whole=True) == []


TEMPORARY = {"ARENA_SECRET_KEY_OLD"}  # while the key is replaced


@each_pod
def test_variables_are_settings_and_secrets_come_from_the_secret(pod: Manifest) -> None:
    for container in pod.containers:
        own = variables(container)
        assert {name.removeprefix("ARENA_").lower() for name in own} <= set(Settings.model_fields)
        for name, source in own.items():
            wanted: dict[str, object] = {"name": "arena", "key": name}
            if name in TEMPORARY:
                wanted |= {"optional": True}
            assert (source == {"secretKeyRef": wanted}) == (name in SECRETS), name


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


def test_each_process_gets_the_secrets_that_it_needs_and_no_others() -> None:
    stores = {"ARENA_DATABASE_URL", "ARENA_REDIS_URL"}
    wanted = {
        "gateway": stores | {"ARENA_ADMIN_TOKEN"},
        "dashboard": stores | {"ARENA_SECRET_KEY", "ARENA_SECRET_KEY_OLD"},
        "migrate": {"ARENA_DATABASE_URL"},
    }
    for pod in PODS:
        got = SECRETS & set(variables(pod.main))
        assert got == wanted.get(pod.component, stores), pod
    made = set(re.findall(r"--from-literal=(ARENA_\w+)", README))
    assert made == set.union(*wanted.values()) - TEMPORARY


@pytest.mark.parametrize("role", sorted(ROLES))
def test_ports_are_those_that_the_process_listens_on(role: str) -> None:
    given = Settings.model_validate(
        {name.removeprefix("ARENA_").lower(): value for name, value in settings().items()}
    )
    expected = {}
    if role in PROCESSES:
        expected = {"metrics": ports.metrics_port(given, PROCESSES[role])}
    expected |= {"gateway": {"grpc": given.port}, "dashboard": {"http": given.dashboard_port}}.get(
        role, {}
    )
    declared = DEPLOYMENTS[role].main.get("ports", ())
    assert {port["name"]: port["containerPort"] for port in declared} == expected


def test_probes_ask_what_there_is() -> None:
    app = new_app()
    app.register_blueprint(health_page.health)
    paths = {rule.rule for rule in app.url_map.iter_rules()}
    dashboard, gateway = DEPLOYMENTS["dashboard"].main, DEPLOYMENTS["gateway"].main
    asked = {name: dashboard[name]["httpGet"] for name in dashboard if name.endswith("Probe")}

    assert {probe["path"] for probe in asked.values()} == {"/livez", "/healthz"} <= paths
    assert {probe["port"] for probe in asked.values()} == {"http"}
    # A restart brings neither Redis nor the database back.
    assert asked["livenessProbe"]["path"] == asked["startupProbe"]["path"] == "/livez"
    assert gateway["livenessProbe"]["grpc"] == {"port": 7420, "service": LIVENESS}
    assert gateway["readinessProbe"]["grpc"] == {"port": 7420}


SERVING_NOTHING = ("worker", "prompt-worker", "review-worker", "beat", "house", "host")


@pytest.mark.parametrize("role", SERVING_NOTHING)
def test_processes_without_ports_are_probed_by_their_file(role: str) -> None:
    main = DEPLOYMENTS[role].main
    file = variables(main)["ARENA_LIVENESS_FILE"]
    mounted = {mount["mountPath"] for mount in main["volumeMounts"]}
    (silent,) = [float(word) for word in main["livenessProbe"]["exec"]["command"] if word.isdigit()]

    assert file.rpartition("/")[0] in mounted, "elsewhere it can write nothing"
    assert silent >= 30 * EVERY_S
    assert main["startupProbe"]["exec"]["command"] == ["arena", "probe"]


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
        "review-worker": soft_s + lock_s + LEAVE_S,
        "beat": 0,
        "dashboard": STOP_S,
        "house": STOP_BOTS_S + STOP_LAST_S,
        "host": STOP_HOST_S,
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


def test_the_next_house_waits_before_the_last_one_is_ended() -> None:
    """Where one of them died, bots are away for less than their grace time; where it was told to
    end, for less than that."""
    strategy = spec(DEPLOYMENTS["house"])["strategy"]
    assert strategy["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    assert Settings().grace_s > LEASE_S + RENEW_S


def test_all_but_beat_go_one_after_the_other() -> None:
    kept = {}
    for budget in OF["PodDisruptionBudget"]:
        (role,) = [
            role for role, pod in DEPLOYMENTS.items() if matches(spec(budget)["selector"], pod)
        ]
        kept[role] = spec(budget)["maxUnavailable"]
    assert kept == dict.fromkeys(ROLES - {"beat"}, 1)
    for role in ROLES - {"beat"}:
        (on_nodes, in_zones) = DEPLOYMENTS[role].pod["spec"]["topologySpreadConstraints"]
        for spread in (on_nodes, in_zones):
            assert matches(spread["labelSelector"], DEPLOYMENTS[role])
