"""deploy/compose.yaml and what belongs to it agree with the code, and with each other.

(That they run is tried by `make deploy-test`.)
"""

import json
import re
import shlex
from importlib.metadata import distribution
from urllib.parse import urlsplit

import jsonschema_rs
import pytest
import yaml

from arena.base.addresses import networks as parsed_networks
from arena.base.config import Settings
from arena.sdk.address import address
from arena.service.host.serve import PROCESSES_EACH
from tests.compose_file import (
    COMPOSE,
    DEPLOY,
    GIVEN,
    OURS,
    SERVICES,
    TEXT,
    VARIABLE,
    names,
    networks,
)
from tests.docs.commands import problems

CADDYFILE = (DEPLOY / "Caddyfile").read_text()
EXAMPLE = dict(
    line.split("=", 1)
    for line in (DEPLOY / "env.example").read_text().splitlines()
    if line and not line.startswith("#")
)
CHECKED = [name for name in SERVICES if "healthcheck" in SERVICES[name]]


@pytest.mark.parametrize("file", ["compose.yaml", "test/compose.override.yaml"])
def test_a_file_is_what_the_specification_of_compose_says(file: str) -> None:
    package = distribution("check-jsonschema")
    schema = package.locate_file("check_jsonschema/builtin_schemas/vendor/compose-spec.json")
    validator = jsonschema_rs.validator_for(json.loads(str(schema.read_text())))
    document = yaml.safe_load((DEPLOY / file).read_text())
    assert [error.message for error in validator.iter_errors(document)] == []


@pytest.mark.parametrize("name", SERVICES)
def test_the_log_of_a_container_cannot_fill_the_disk(name: str) -> None:
    assert SERVICES[name]["logging"]["options"] == {"max-size": "10m", "max-file": "2"}


# Commands and settings


@pytest.mark.parametrize("name", OURS)
def test_several_machines_are_set_up_with_the_same_commands(name: str) -> None:
    page = (DEPLOY.parent / "docs/deploying.md").read_text()
    commands = page.split("## Several machines")[1].split("```sh")[1].split("```")[0]
    words = [
        word for word in SERVICES[name]["command"] if not re.match(r"\d|proxy|--(wait|url)", word)
    ]
    assert re.search(rf"^arena {' '.join(words)}\b", commands, re.MULTILINE)


@pytest.mark.parametrize("name", OURS)
def test_a_service_runs_a_command_that_there_is(name: str) -> None:
    assert problems([f"arena {shlex.join(OURS[name]['command'])}"], whole=True) == []


@pytest.mark.parametrize("name", sorted(set(OURS) & set(CHECKED)))
def test_a_health_check_is_a_command_that_there_is(name: str) -> None:
    kind, *command = OURS[name]["healthcheck"]["test"]
    assert kind == "CMD"
    assert problems([shlex.join(command)], whole=True) == []


def test_every_service_that_goes_on_has_a_health_check() -> None:
    assert SERVICES.keys() - set(CHECKED) == {"migrate", "grafana"}


@pytest.mark.parametrize("name", OURS)
def test_a_service_is_given_settings_that_there_are_with_values_that_they_take(name: str) -> None:
    given = OURS[name]["environment"]
    settings = {key.removeprefix("ARENA_").lower(): value for key, value in given.items()}
    assert all(key.startswith("ARENA_") for key in given)
    assert settings.keys() <= Settings.model_fields.keys()
    Settings(**{key: value for key, value in settings.items() if value})


def test_every_setting_reaches_the_containers() -> None:
    fixed = {"data", "host", "port", "dashboard_port", "liveness_file", "share_port"}
    fixed |= {"tls_cert", "tls_key", "tls_ca"}  # the proxy has the certificate
    given = {name for service in OURS.values() for name in service["environment"]}
    wanted = {f"ARENA_{name.upper()}" for name in Settings.model_fields.keys() - fixed}
    assert given == wanted
    assert {f"ARENA_{name.upper()}" for name in fixed}.isdisjoint(given)


def test_the_arena_finds_its_database_and_its_valkey() -> None:
    for service in OURS.values():
        database = urlsplit(service["environment"]["ARENA_DATABASE_URL"])
        server = SERVICES[str(database.hostname)]["environment"]
        assert (database.username, database.password, database.path) == (
            server["POSTGRES_USER"],
            server["POSTGRES_PASSWORD"],
            f"/{server['POSTGRES_DB']}",
        )
        redis = urlsplit(service["environment"]["ARENA_REDIS_URL"])
        assert redis.password == SERVICES[str(redis.hostname)]["environment"]["VALKEY_PASSWORD"]
        assert redis.port == 6379
        assert "back" in service["networks"]
    assert "maxmemory-policy noeviction" in SERVICES["valkey"]["command"][-1]


@pytest.mark.parametrize("name", ["house", "host"])
def test_processes_with_bots_find_a_gateway(name: str) -> None:
    command = SERVICES[name]["command"]
    host, port = address(command[command.index("--url") + 1]).place.split(":")
    assert host == "proxy"
    assert "front" in networks(name)
    assert f"http://:{port} {{\n\timport gateways" in CADDYFILE


# Before the arena


def test_the_proxy_leads_to_services_at_their_ports() -> None:
    upstreams = [
        upstream
        for line in re.findall(r"reverse_proxy ([^{\n]+)", CADDYFILE)
        for upstream in line.split()
    ]
    ports = {"gateway": "port", "dashboard": "dashboard_port"}
    assert len(upstreams) == 3
    for upstream in upstreams:
        host, port = upstream.split(":")
        assert host in names("front")
        setting = ports[SERVICES[host]["command"][0]]
        assert int(port) == Settings.model_fields[setting].default
    placeholders = set(re.findall(r"\{\$([A-Z_]+)", CADDYFILE))
    assert placeholders == SERVICES["proxy"]["environment"].keys()


def test_gateways_do_not_take_the_proxy_for_one_person() -> None:
    (front,) = COMPOSE["networks"]["front"]["ipam"]["config"]
    for name in ("gateway-1", "gateway-2"):
        exempt = SERVICES[name]["environment"]["ARENA_EXEMPT_ADDRESSES"]
        assert set(parsed_networks(exempt)) == {
            *parsed_networks(str(Settings.model_fields["exempt_addresses"].default)),
            *parsed_networks(front["subnet"]),
        }
    assert networks("proxy") == {"front"}


def test_authors_are_told_the_address_of_the_proxy() -> None:
    assert "ARENA_GATEWAY_URL: grpcs://${ARENA_DOMAIN:-localhost}:${ARENA_HTTPS_PORT:-443}" in TEXT
    assert SERVICES["dashboard"]["environment"]["ARENA_PROXIES"] == "1"


def test_only_the_proxy_is_reached_from_outside_and_grafana_from_this_machine() -> None:
    published = {name: each["ports"] for name, each in SERVICES.items() if "ports" in each}
    assert published.keys() == {"proxy", "grafana"}
    assert all(port.startswith("127.0.0.1:") for port in published["grafana"])
    assert COMPOSE["networks"]["back"]["internal"]


# Safety


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_may_do_as_little_as_possible(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert set(service.get("cap_add", ())) <= {"NET_BIND_SERVICE"}
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == ("on-failure" if name == "migrate" else "unless-stopped")


def test_resources_of_bots_are_limited() -> None:
    host = SERVICES["host"]
    assert host["mem_limit"] == "4g"
    assert int(host["pids_limit"]) >= PROCESSES_EACH * Settings().host_processes
    assert "privileged" not in host
    assert "cap_add" not in host


def test_required_variables_have_no_default_and_must_not_be_empty() -> None:
    variables = {found[1]: not found[2] for found in VARIABLE.finditer(TEXT)}
    assert "$" not in re.sub(r"\$\$", "", VARIABLE.sub("", TEXT)), "of every variable it is said"
    required = {name for name, is_required in variables.items() if is_required}
    assert required == {name for name in EXAMPLE if re.search("PASSWORD|TOKEN|KEY", name)}
    assert all(EXAMPLE[name] == "" for name in required)
    assert EXAMPLE.keys() <= variables.keys()
    secrets = [
        value
        for service in SERVICES.values()
        for key, value in service.get("environment", {}).items()
        if re.search("PASSWORD|TOKEN|SECRET", key)
        and not key.startswith(
            ("ARENA_GITHUB_", "ARENA_OIDC_", "ARENA_SECRET_KEY_OLD")
        )  # not every arena has one
    ]
    assert set(secrets) == {GIVEN}


def test_settings_are_not_in_images_or_git() -> None:
    for file in (".dockerignore", ".gitignore"):
        assert "deploy/.env" in (DEPLOY.parent / file).read_text().splitlines()


def test_stand_ins_replace_images_and_nothing_else() -> None:
    override = yaml.safe_load((DEPLOY / "test/compose.override.yaml").read_text())
    assert override.keys() == {"services"}
    assert override["services"].keys() <= SERVICES.keys() - OURS.keys()
    assert all(service.keys() == {"image"} for service in override["services"].values())


# The page


def test_the_commands_of_the_page_are_about_services_that_there_are() -> None:
    page = (DEPLOY.parent / "docs/deploying.md").read_text()
    lines = re.findall(r"^docker compose (.+?)(?: +#.*)?$", page, re.MULTILINE)
    assert len(lines) >= 7
    for line in lines:
        words = shlex.split(line.partition(" > ")[0])
        if words[0] == "exec":
            assert words[1] in OURS
            shown = re.findall(r"arena [a-z /.]+", " ".join(words[2:]))
            assert problems([one.strip() for one in shown], whole=False) == [], line
        elif "--no-deps" in words:
            assert words[-1] in OURS
    rolled = re.search(r"--no-deps (\S+) +# then ([\w, -]+)$", page, re.MULTILINE)
    assert rolled
    assert {rolled[1], *rolled[2].split(", ")} == OURS.keys() - {"migrate"}
