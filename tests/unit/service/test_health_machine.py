"""What is said about clocks, certificates, disk space and open files."""

import resource
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from arena.service.bootstrap import load_settings
from arena.service.health import at_start
from arena.service.health.at_start import check_at_start
from arena.service.health.certificates import check_expiry, expiry
from arena.service.health.finding import Finding
from arena.service.health.services import check_clocks
from arena.service.health.storage import check_disk
from arena.service.live.clocks import MachineClock
from tests.captured_logs import captured_logs
from tests.certificates import self_signed

DAY_S = 86_400.0
NEEDED = 4096 + at_start.SPARE_FILES


def sentences(findings: Iterable[Finding]) -> list[str]:
    """What is wrong, with the advice."""
    return [f"{each.sentence} {each.advice}" for each in findings if each.state == "wrong"]


# Clocks


def test_a_machine_whose_clock_is_wrong_is_named_with_its_processes() -> None:
    clocks = [
        MachineClock("beat", "left", 0.1),
        MachineClock("gateway", "right", 3600.2),
        MachineClock("worker", "right", 3600.1),
        MachineClock("worker", "slow", -90.0),
    ]
    right, slow = check_clocks(clocks)

    assert right.sentence == (
        "The clock of right (gateway, worker) is 1 h 0 min ahead of the database's."
    )
    assert slow.sentence == "The clock of slow (worker) is 1 min 30 s behind the database's."
    assert "NTP" in right.advice
    assert "right" not in right.public
    assert "slow" not in slow.public


def test_clocks_that_agree_are_fine() -> None:
    (finding,) = check_clocks([MachineClock("beat", "left", -1.9), MachineClock("host", "b", 1.9)])
    assert finding.state == "fine"
    assert list(check_clocks([])) == []


def test_where_all_machines_agree_the_databases_clock_is_the_wrong_one() -> None:
    found = check_clocks([MachineClock("beat", "a", 3600.0), MachineClock("worker", "b", 3600.5)])
    (said,) = sentences(found)
    assert "The clock of the database's machine is 1 h 0 min behind all other clocks." in said


def test_wrong_clock_of_redis_is_named() -> None:
    clocks = [
        MachineClock("beat", "left", 0.1),
        MachineClock("worker", "right", -0.1),
        MachineClock("Redis", "10.0.0.5", -3600.0),
    ]
    (said,) = sentences(check_clocks(clocks))
    assert "The clock of 10.0.0.5 (Redis) is 1 h 0 min behind the database's." in said


def test_redis_does_not_count_as_another_machine() -> None:
    clocks = [MachineClock("beat", "left", 3600.0), MachineClock("Redis", "127.0.0.1", 3600.0)]
    left, redis = sentences(check_clocks(clocks))[::-1]
    assert "The clock of left (beat) is 1 h 0 min ahead of the database's." in left
    assert "The clock of 127.0.0.1 (Redis) is 1 h 0 min ahead of the database's." in redis
    (said,) = sentences(check_clocks([*clocks, MachineClock("host", "right", 3600.0)]))
    assert "The clock of the database's machine is 1 h 0 min behind all other clocks." in said


def test_redis_beside_the_database_hides_no_wrong_clock() -> None:
    """Its clock is wrong by as much, so it agrees."""
    clocks = [
        MachineClock("beat", "left", 3600.0),
        MachineClock("worker", "right", 3600.1),
        MachineClock("Redis", "10.0.0.5", 0.0),
    ]
    (said,) = sentences(check_clocks(clocks))
    assert "The clock of the database's machine is 1 h 0 min behind all other clocks." in said


# Certificates


def test_a_certificate_is_said_to_expire_or_to_have_expired(tmp_path: Path) -> None:
    file = self_signed(tmp_path, "arena.example", days=60).certificate
    ends = expiry(file)

    assert check_expiry(file, ends - 20 * DAY_S).state == "fine"
    assert "expires in 3 d 0 h. Renew it" in sentences([check_expiry(file, ends - 3 * DAY_S)])[0]
    (said,) = sentences([check_expiry(file, ends + 2 * DAY_S)])
    assert "expired 2 d 0 h ago, so bots refuse to connect. Renew it" in said
    assert str(tmp_path) not in check_expiry(file, ends + 1).public


def test_the_first_certificate_of_a_chain_to_expire_counts(tmp_path: Path) -> None:
    long, short = (self_signed(tmp_path, f"{n}.example", days=n).certificate for n in (60, 5))
    chain = tmp_path / "chain.pem"
    chain.write_bytes(long.read_bytes() + short.read_bytes())
    assert expiry(chain) == expiry(short)


def test_a_file_that_is_not_a_certificate_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "text.pem"
    assert check_expiry(file, 0.0).state == "wrong"
    file.write_text("text")
    assert check_expiry(file, 0.0).state == "wrong"


# Disk space


def test_little_space_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings(data=tmp_path / "not" / "there", archive=tmp_path)
    free = {"bytes": 5_000_000_000}
    usage = type("Usage", (), {"free": property(lambda _: free["bytes"])})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage())

    assert sentences(check_disk(settings)) == []
    free["bytes"] = 500_000_000
    (data,) = check_disk(settings)  # both folders are on one disk
    assert data.sentence == f"500 MB are free in {tmp_path / 'not' / 'there'}."
    assert "Free some space" in data.advice
    monkeypatch.setattr("arena.service.health.storage.disk_of", hash)
    _, archive = check_disk(settings)
    assert archive.public == "The disk of the archive folder is almost full."


# Open files


class Limits:
    """What the system has set, and what is set instead."""

    def __init__(self, soft: int, hard: int) -> None:
        self.pair = soft, hard

    def get(self, _: int) -> tuple[int, int]:
        return self.pair

    def set(self, _: int, pair: tuple[int, int]) -> None:
        self.pair = pair


@pytest.mark.parametrize(
    ("soft", "hard", "after", "state"),
    [
        (64, 64, 64, "wrong"),
        (64, 500, 500, "wrong"),
        (1024, 524_288, NEEDED, "fine"),
        (256, resource.RLIM_INFINITY, NEEDED, "fine"),
        (NEEDED + 1, NEEDED + 1, NEEDED + 1, "fine"),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, resource.RLIM_INFINITY, "fine"),
    ],
)
def test_a_server_raises_its_limit_as_far_as_it_may(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, after: int, state: str
) -> None:
    limits = Limits(soft, hard)
    monkeypatch.setattr(resource, "getrlimit", limits.get)
    monkeypatch.setattr(resource, "setrlimit", limits.set)
    settings = load_settings(max_connections=4096)

    assert at_start.raise_limit("gateway", settings).state == state
    assert limits.pair == (after, hard)
    assert next(each.state for each in at_start.check_open_files(settings)) == state


def test_too_few_open_files_are_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", Limits(64, 1024).get)
    gateway, dashboard = sentences(at_start.check_open_files(load_settings(max_connections=4096)))

    assert gateway.startswith("A gateway may open 1,024 files, but can need 4,352.")
    assert "ulimit -n 4352" in gateway
    assert "ARENA_MAX_CONNECTIONS to 768." in gateway
    assert dashboard.startswith("A dashboard may open 1,024 files, but can need 2,256.")


def test_a_limit_that_cannot_be_raised_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int, pair: tuple[int, int]) -> None:
        raise ValueError(pair)

    monkeypatch.setattr(resource, "getrlimit", Limits(256, resource.RLIM_INFINITY).get)
    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert "may open 256 files" in at_start.raise_limit("gateway", load_settings()).sentence


# At the start of a server


def test_a_gateway_warns_at_its_start_of_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", Limits(64, 64).get)
    pair = self_signed(tmp_path, "arena.example", days=0)
    settings = load_settings(tls_cert=pair.certificate, tls_key=pair.key)

    with captured_logs(at_start) as logged:
        check_at_start("gateway", settings)
        check_at_start("dashboard", settings)
    assert [each["log_level"] for each in logged] == ["warning"] * 3
    files, certificate, of_dashboard = (each["event"] for each in logged)
    assert files.startswith("A gateway may open 64 files")
    assert "arena.example.pem expired" in certificate
    assert of_dashboard.startswith("A dashboard may open 64 files")
    assert all(each["advice"] for each in logged)


def test_a_misspelt_variable_is_logged_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_SIGN_UPP", "closed")

    with captured_logs(at_start) as logged:
        check_at_start("dashboard", load_settings())

    (line,) = (each for each in logged if "ARENA_SIGN_UPP" in each["event"])
    assert line["advice"] == "If you mean ARENA_SIGN_UP, rename it."
