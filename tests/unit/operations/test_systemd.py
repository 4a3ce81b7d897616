"""deploy/systemd fits the code: commands, variables, times; no unit may do more than another."""

import re
import runpy
import subprocess
from pathlib import Path

import pytest

from arena.base.config import Settings
from arena.base.liveness import EVERY_S
from arena.bots import HOUSE
from arena.hosting.sandbox.kinds import NAMESPACES
from arena.operations.supervise.house import wanted_house_bots
from arena.operations.supervise.supervisor import STOP_LAST_S
from arena.operations.supervise.supervisor import STOP_S as STOP_BOTS_S
from arena.service.gateway.gateway import CLOSE_S, DRAIN_S
from arena.service.host.host import STOP_S as STOP_HOST_S
from arena.service.host.serve import PROCESSES_EACH
from arena.store.engine import LOCK_MS
from dashboard.system.http_server import STOP_S
from tests.docs.commands import problems, targets
from workers.setup.app import make_app
from workers.setup.heartbeat import LEAVE_S

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "systemd"
BIN = "/opt/arena/current/bin/"
SCRIPT = (FOLDER / "install.sh").read_text()
ENV = (FOLDER / "arena.env").read_text()
INSIDE = (ROOT / "deploy/test/systemd_inside.sh").read_text()
README = (FOLDER / "README.md").read_text()
SECRETS = {
    f"ARENA_{name.upper()}" for name, field in Settings.model_fields.items() if not field.repr
}


class Unit:
    """One unit; what stands there several times is a list."""

    def __init__(self, file: Path) -> None:
        self.name = file.name
        self.values: dict[str, list[str]] = {}
        for line in file.read_text().splitlines():
            if "=" in line and not line.startswith("#"):
                key, _, value = line.partition("=")
                self.values.setdefault(key, []).append(value)

    def one(self, key: str) -> str:
        (value,) = self.values[key]
        return value

    @property
    def hardening(self) -> dict[str, list[str]]:
        """All that limits what it may do."""
        words = ("Protect", "Private", "Restrict", "SystemCall", "Lock", "Memory", "Capability")
        more = ("NoNewPrivileges", "AmbientCapabilities", "RemoveIPC", "UMask", "ProcSubset")
        return {
            key: value for key, value in self.values.items() if key.startswith(words) or key in more
        }


UNITS = {file.name.removesuffix(".service"): Unit(file) for file in FOLDER.glob("*.service")}
ROLES = {
    "arena-gateway": "arena gateway",
    "arena-worker": "arena worker",
    "arena-prompt-worker": "arena worker --prompt",
    "arena-review-worker": "arena worker --review",
    "arena-beat": "arena beat",
    "arena-dashboard": "arena dashboard",
    "arena-house": "arena house",
    "arena-host": "arena host",
}
TARGET = Unit(FOLDER / "arena.target")


def seconds(unit: Unit, key: str) -> float:
    return float(unit.one(key))


@pytest.mark.parametrize("role", ROLES)
def test_each_role_has_a_unit_with_its_command(role: str) -> None:
    shown = UNITS[role].one("ExecStart").removeprefix(BIN)
    assert shown == ROLES[role]
    assert problems([shown], whole=True) == []


def test_the_schema_is_brought_up_to_date_before_anything_starts() -> None:
    migrate = UNITS["arena-migrate"]
    assert migrate.one("ExecStart") == f"{BIN}arena db upgrade --wait 600"
    assert migrate.one("Type") == "oneshot"
    assert problems(["arena db upgrade --wait 600"], whole=True) == []
    for role in ROLES:
        assert UNITS[role].one("Requires") == "arena-migrate.service"
        assert "arena-migrate.service" in UNITS[role].one("After").split()


def test_the_target_and_the_script_know_all_units() -> None:
    all_but_schema = {*ROLES, "arena-valkey"}
    assert {name.removesuffix(".service") for name in TARGET.one("Wants").split()} == all_but_schema
    for script in (SCRIPT, INSIDE):
        (listed,) = re.findall(r"^services=\((.+)\)$", script, re.MULTILINE)
        assert set(listed.split()) == all_but_schema
    assert set(UNITS) == all_but_schema | {"arena-migrate"}
    for name in all_but_schema:
        assert UNITS[name].one("PartOf") == UNITS[name].one("WantedBy") == "arena.target"


def test_beat_stops_before_the_workers_and_those_before_the_gateway() -> None:
    """systemd stops in the reverse of the order in which it starts."""

    def after(name: str) -> set[str]:
        return {unit.removesuffix(".service") for unit in UNITS[name].one("After").split()}

    assert {"arena-worker", "arena-prompt-worker", "arena-review-worker"} <= after("arena-beat")
    assert "arena-gateway" in after("arena-worker") & after("arena-prompt-worker")
    assert "arena-gateway" in after("arena-house"), "its bots leave before the gateway does"
    assert "arena-gateway" in after("arena-host"), "it leaves its bots while a gateway is there"
    assert all("arena-valkey" in after(role) for role in ROLES)


@pytest.mark.parametrize("role", ROLES)
def test_a_process_that_hangs_or_ends_is_started_again(role: str) -> None:
    unit = UNITS[role]
    assert unit.one("Type") == "notify"
    assert seconds(unit, "WatchdogSec") >= 10 * EVERY_S
    assert unit.one("Restart") == "always"
    assert unit.one("StartLimitIntervalSec") == "0", "however long the database is away"
    assert "NotifyAccess" not in unit.values


def test_processes_have_the_time_that_stopping_takes_and_tell_their_own() -> None:
    worker_s = make_app(Settings()).conf.worker_soft_shutdown_timeout + LOCK_MS / 1000 + LEAVE_S
    takes = {
        "arena-gateway": DRAIN_S + 2 * CLOSE_S,
        "arena-worker": worker_s,
        "arena-prompt-worker": worker_s,
        "arena-review-worker": worker_s,
        "arena-beat": 0,
        "arena-dashboard": STOP_S,
        "arena-house": STOP_BOTS_S + STOP_LAST_S,
        "arena-host": STOP_HOST_S,
    }
    for role in ROLES:
        assert seconds(UNITS[role], "TimeoutStopSec") >= 2 * takes[role], role
    for role in (
        "arena-worker",
        "arena-prompt-worker",
        "arena-review-worker",
        "arena-dashboard",
        "arena-house",
        "arena-host",
    ):
        assert UNITS[role].one("KillMode") == "mixed", "a task must not be killed beside its worker"


def test_a_gateway_may_open_as_many_files_as_it_takes_connections() -> None:
    assert seconds(UNITS["arena-gateway"], "LimitNOFILE") >= 2 * Settings().max_connections


def test_no_unit_may_do_more_than_another() -> None:
    expected = UNITS["arena-gateway"].hardening
    assert expected["CapabilityBoundingSet"] == [""]
    assert expected["ProtectSystem"] == ["strict"]
    for name, unit in UNITS.items():
        assert unit.one("User") == unit.one("Group") == "arena"
        if name != "arena-host":
            assert unit.hardening == expected, unit.name


def test_a_host_may_do_more_where_sandboxes_need_it_and_nowhere_else() -> None:
    others, host = UNITS["arena-gateway"].hardening, UNITS["arena-host"].hardening
    more = {key for key in others if host.get(key) != others[key]}
    families = {*others["RestrictAddressFamilies"][0].split(), "AF_NETLINK"}
    (allowed, refused) = host["SystemCallFilter"]

    assert host.keys() <= others.keys()
    assert more == {
        "ProtectProc",  # it reads how large a sandbox's process is
        "ProcSubset",  # bubblewrap reads who is nobody
        "RestrictNamespaces",
        "RestrictAddressFamilies",
        "MemoryDenyWriteExecute",  # node compiles
        "SystemCallFilter",
        "ProtectControlGroups",  # its sandboxes are in one
    }
    assert set(host["RestrictAddressFamilies"][0].split()) == families, "bubblewrap sets up lo"
    made = {option.split("-")[3] for option in NAMESPACES} | {"user", "mnt"}
    assert set(host["RestrictNamespaces"][0].split()) == made
    assert {"@system-service", "@mount", "seccomp"} <= set(allowed.split())
    assert refused.startswith("~")
    unit = UNITS["arena-host"]
    assert unit.one("OOMPolicy") == "continue", "a bot without memory must not end all others"
    assert seconds(unit, "LimitNOFILE") >= 8 * Settings().host_processes
    assert seconds(unit, "TasksMax") >= PROCESSES_EACH * Settings().host_processes


def test_settings_are_settings_and_secrets_are_made_on_the_machine() -> None:
    named = dict(re.findall(r"^#?(ARENA_\w+)=(.*)$", ENV, re.MULTILINE))
    made = set(re.findall(r'echo "(ARENA_\w+)=.*\$', SCRIPT))

    assert made == {"ARENA_REDIS_URL", "ARENA_SECRET_KEY", "ARENA_ADMIN_TOKEN"} <= SECRETS
    assert set(named) & SECRETS == {"ARENA_DATABASE_URL"}
    assert "@" not in named["ARENA_DATABASE_URL"], "the socket says who asks: no password"
    for name, value in named.items():
        field = name.removeprefix("ARENA_").lower()
        assert str(getattr(Settings.model_validate({field: value}), field)) == value


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (
            "postgresql://arena:p%23w@/arena?host=db-1:5432&host=db-2:5432",
            "postgresql://arena:p%23w@/arena?host=db-1:5432&host=db-2:5432",
        ),
        ("My School ", "My School"),
        ("'My School'", "My School"),
        (' "My \\"old\\" $chool" ', 'My "old" $chool'),
        ("Ada's `School` #1", "Ada's `School` #1"),
        ("a\\\\b\\\n c", "a\\b c"),
        ("", ""),
    ],
)
def test_the_command_reads_settings_as_systemd_does(line: str, value: str) -> None:
    settings = runpy.run_path(str(FOLDER / "arena"))["settings"]
    text = f"# ARENA_A=1\n;ARENA_B=2\n\nno setting\nARENA_NAME={line}\nARENA_PORT=7420\n"
    assert list(settings(text)) == [("ARENA_NAME", value), ("ARENA_PORT", "7420")]


def test_the_houses_bots_that_are_named_are_those_that_there_are() -> None:
    (example,) = re.findall(r"^#ARENA_HOUSE_BOTS=(.+)$", ENV, re.MULTILINE)
    (tried,) = re.findall(r"^bots=\((.+)\)", INSIDE, re.MULTILINE)
    (all_of_them, *_) = re.findall(r"^until_true 60 connected (\d+)$", INSIDE, re.MULTILINE)

    assert wanted_house_bots(Settings(house_bots=example)) == tuple(example.split(","))
    assert set(tried.split()) <= HOUSE.keys()
    assert int(all_of_them) == len(wanted_house_bots(Settings()))


def test_the_arenas_own_valkey_keeps_nothing_and_hears_only_this_machine() -> None:
    lines = (FOLDER / "valkey.conf").read_text().splitlines()
    given = dict(line.split(" ", 1) for line in lines if not line.startswith("#"))
    assert given["bind"] == "127.0.0.1"
    assert (given["save"], given["appendonly"]) == ('""', "no")
    assert f"@127.0.0.1:{given['port']}/0" in SCRIPT
    assert "requirepass" not in given


def test_the_script_copies_what_the_image_copies() -> None:
    (copied,) = re.findall(r"for part in (.+); do", SCRIPT)
    dockerfile = (ROOT / "deploy/Dockerfile").read_text().split("AS build-check")[0]
    into_image = {
        word.partition("/")[0]  # of deploy the image takes some files only
        for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile, re.MULTILINE)
        for word in line.split()[:-1]
    }
    assert set(copied.split()) == into_image


@pytest.mark.parametrize(
    "script", ["systemd/install.sh", "test/systemd.sh", "test/systemd_inside.sh"]
)
def test_scripts_are_scripts(script: str) -> None:
    subprocess.run(["bash", "-n", ROOT / "deploy" / script], check=True)


def test_the_script_says_what_it_does_and_what_it_does_not_know() -> None:
    def run(word: str) -> subprocess.CompletedProcess[str]:
        command = [str(FOLDER / "install.sh"), word]
        return subprocess.run(command, capture_output=True, text=True)

    assert run("--help").stdout.startswith("Usage: deploy/systemd/install.sh")
    wrong = run("--fast")
    assert wrong.returncode == 1
    assert wrong.stderr.endswith("Error: There is no option --fast.\n")


def test_commands_in_the_readme_exist() -> None:
    lines = re.findall(
        r"(?:sudo )?((?:arena|make) .+)",
        "\n".join(re.findall(r"```sh\n(.+?)```", README, re.DOTALL)),
    )
    assert lines
    assert problems(lines, whole=True) == []
    assert "systemd-test" in targets()
