"""What `arena doctor` finds: each thing that can be wrong, and what it says when all is well."""

import socket
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.base.errors import Unavailable
from arena.hosting.sandbox.kinds import Bubblewrap, Confined
from arena.hosting.sandbox.sandbox import Sandbox
from arena.operations.doctor import servers
from arena.operations.doctor.examine import examine_python, examine_sandbox
from arena.operations.doctor.servers import examine_info
from arena.operations.doctor.variables import examine_settings, examine_tls
from arena.service.bootstrap import load_settings
from arena.service.health.at_start import examine_names
from arena.service.health.finding import Finding
from tests.certificates import self_signed

NOBODY = servers.HealthReply(False, False, "connection refused")
PUBLIC = {"public_url": "https://arena.example.org"}
MAIL = {"smtp_url": "smtp://mail:587", "mail_from": "Arena <arena@example.org>"} | PUBLIC
WELL = servers.HealthReply(True, True, "SERVING")


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ARENA_DATA", "ARENA_REDIS_URL", "ARENA_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)


def wrong(findings: Iterable[Finding]) -> list[str]:
    """What is wrong; each has to be a sentence, with another on what to do."""
    found = [finding for finding in findings if finding.state == "wrong"]
    for finding in found:
        assert finding.sentence.endswith((".", ":")), finding
        assert finding.advice.endswith("."), finding
    return [f"{finding.sentence} {finding.advice}" for finding in found]


# Variables


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"ARENA_PORT": "1", "ARENA_URL": "x", "HOME": "/"}, []),
        ({"ARENA_DATABSE_URL": "x"}, ["is not a known variable. If you mean ARENA_DATABASE_URL"]),
        ({"ARENA_QUUX": "x"}, ["ARENA_QUUX is not a known variable. Unset it"]),
        ({"arena_prot": "1"}, ["If you mean ARENA_PORT"]),
    ],
)
def test_unknown_variables_are_reported(environ: dict[str, str], said: list[str]) -> None:
    found = wrong(examine_names(environ))

    assert len(found) == len(said)
    assert all(part in sentence for part, sentence in zip(said, found, strict=True))


def test_value_of_an_unknown_variable_is_not_printed() -> None:
    (finding,) = examine_names({"ARENA_ADMIN_TOKN": "hunter2"})

    assert "hunter2" not in f"{finding}"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, []),
        ({"tls_cert": "a.pem"}, ["ARENA_TLS_CERT is set without ARENA_TLS_KEY"]),
        ({"tls_key": "a.key"}, ["ARENA_TLS_KEY is set without ARENA_TLS_CERT"]),
        (
            {"tls_cert": "a.pem", "tls_key": "a.key", "gateway_url": "arena.example:7420"},
            ["Start ARENA_GATEWAY_URL with grpcs://"],
        ),
        ({"port": 7000, "dashboard_port": 7000}, ["ARENA_DASHBOARD_PORT and ARENA_PORT are both"]),
        ({"port": 0, "dashboard_port": 0}, []),
        ({"port": 7432, "metrics_port": 7430}, ["ARENA_METRICS_PORT (prompt worker) and"]),
        ({"share_port": True, "port": 0}, ["each gateway uses another port"]),
        ({"redis_url": "redis://:hunter2@cache:6379/0"}, ["Redis is on another machine"]),
        ({"redis_url": "redis://127.0.0.1:6379/0"}, []),
        (
            {"smtp_url": "smtp://mail:587"},
            ["ARENA_SMTP_URL is set, but not ARENA_MAIL_FROM or ARENA_PUBLIC_URL."],
        ),
        (MAIL | {"mail_from": "the arena"}, ["ARENA_MAIL_FROM is not an e-mail address"]),
        (MAIL | {"smtp_url": "smtp://mail:mail"}, ["ARENA_SMTP_URL is not a mail server's"]),
        (MAIL | {"smtp_url": "smtps://user:hunter2@mail"}, []),
        (
            {"github_id": "id", "github_secret": "hunter2"},
            ["ARENA_GITHUB_ID and ARENA_GITHUB_SECRET are set, but not ARENA_PUBLIC_URL."],
        ),
        (
            {"oidc_issuer": "https://accounts.example.org", "oidc_id": "id"} | PUBLIC,
            ["but not ARENA_OIDC_SECRET. So dashboards cannot start."],
        ),
        ({"secret_key": "hunter2"}, ["ARENA_SECRET_KEY has 7 characters"]),
        ({"redis_url": "redis://cache/0", "database_url": "postgresql://db/arena"}, []),
    ],
)
def test_settings_that_contradict_each_other_are_said(
    values: dict[str, Any], said: list[str]
) -> None:
    findings = list(examine_settings(load_settings(**values)))
    found = wrong(findings)

    assert len(found) == len(said)
    assert all(part in sentence for part, sentence in zip(said, found, strict=True))
    assert "hunter2" not in f"{findings}"
    assert found or [finding.state for finding in findings] == ["fine"]


# Certificates


def test_a_certificate_has_to_fit_its_key(tmp_path: Path) -> None:
    pair = self_signed(tmp_path, "arena.example", days=60)
    other = self_signed(tmp_path, "other.example")
    pair.key.chmod(0o600)
    settings = load_settings(tls_cert=pair.certificate, tls_key=pair.key)

    assert wrong(examine_tls(settings)) == []
    (finding,) = examine_tls(settings)
    assert " match." in finding.sentence
    swapped = settings.model_copy(update={"tls_key": other.key})
    assert "do not match" in wrong(examine_tls(swapped))[0]
    gone = settings.model_copy(update={"tls_cert": tmp_path / "gone.pem"})
    assert "cannot be read (No such file" in wrong(examine_tls(gone))[0]
    pair.key.chmod(0o644)
    assert "chmod 600" in wrong(examine_tls(settings))[0]


def test_files_that_are_no_certificates_are_said_so(tmp_path: Path) -> None:
    text = tmp_path / "text.pem"
    text.write_text("no certificate")

    assert "match" in wrong(examine_tls(load_settings(tls_cert=text, tls_key=text)))[0]
    assert "ARENA_TLS_CA is" in wrong(examine_tls(load_settings(tls_ca=text)))[0]


# The machine


def test_this_python_is_one_of_those() -> None:
    assert examine_python().state == "fine"


@pytest.mark.parametrize(("version", "state"), [((3, 10), "wrong"), ((3, 99), "unknown")])
def test_other_pythons_are_told_apart(
    version: tuple[int, int], state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", (*version, 0))

    assert examine_python().state == state


def test_a_port_is_free_or_held_by_an_arena_or_by_another() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ours = servers.examine_port("127.0.0.1", port, "gateway", WELL)
        theirs = servers.examine_port("127.0.0.1", port, "dashboard", NOBODY)
    free = servers.examine_port("127.0.0.1", port, "gateway", NOBODY)

    assert (ours.state, free.state) == ("fine", "fine")
    assert "ARENA_DASHBOARD_PORT" in wrong([theirs])[0]
    assert "certificate" in theirs.depends  # an expired one looks like another program
    assert "ARENA_HOST" in wrong([servers.examine_port("192.0.2.1", port, "gateway", NOBODY)])[0]


# Redis, processes


@pytest.mark.parametrize(
    ("info", "said"),
    [
        ({"maxmemory": 0, "maxmemory_policy": "noeviction", "role": "master"}, []),
        ({"maxmemory_policy": "allkeys-lru"}, ["Set maxmemory-policy to noeviction"]),
        ({"maxmemory": 10**8, "used_memory": 95 * 10**6}, ["95 MB of its maximum of 100 MB"]),
    ],
)
def test_findings_on_redis_memory(info: Mapping[str, Any], said: list[str]) -> None:
    found = wrong(examine_info(info))

    assert len(found) == len(said)
    assert all(part in sentence for part, sentence in zip(said, found, strict=True))


def test_the_best_sandbox_that_works_is_named_with_what_the_better_ones_lack() -> None:
    def only_landlock(sandbox: Sandbox) -> None:
        if sandbox.name != "landlock":
            raise Unavailable("Nobody may make namespaces.")

    def none(_: Sandbox) -> None:
        raise Unavailable("Not here.")

    both = (Bubblewrap(), Confined())
    best = examine_sandbox(both, lambda _: None)
    second = examine_sandbox(both, only_landlock)
    missing = examine_sandbox(both, none)

    assert (best.state, best.sentence.split()[0]) == ("fine", "bubblewrap")
    assert second.state == "fine"
    assert second.sentence.startswith("landlock works")
    assert second.sentence.endswith("do not work: bubblewrap: Nobody may make namespaces.")
    assert missing.state == "unknown", "only hosts need one"
    assert "bubblewrap: Not here. landlock: Not here." in missing.sentence


def test_the_sandbox_of_this_machine_is_tried() -> None:
    found = examine_sandbox()
    assert found.about == "sandbox"
    assert ("can play hosted bots" in found.sentence) == (found.state == "fine")


def test_answers_of_servers_are_understood() -> None:
    gateway = [
        servers.examine_gateway("h:1", answer)
        for answer in (WELL, servers.HealthReply(True, False, "NOT_SERVING"), NOBODY)
    ]
    dashboard = [
        servers.examine_dashboard("http://h:2", answer)
        for answer in (WELL, servers.HealthReply(True, False, "503 Service Unavailable"), NOBODY)
    ]

    assert [finding.state for finding in gateway] == ["fine", "wrong", "wrong"]
    assert [finding.state for finding in dashboard] == ["fine", "wrong", "wrong"]
    assert "lost Redis" in gateway[1].sentence
