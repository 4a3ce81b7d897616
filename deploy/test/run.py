#!/usr/bin/env python3
"""Starts deploy/compose.yaml, plays a tournament through its proxy, and removes everything again.

    make deploy-test                           # with podman, and images of registries
    make deploy-test ARGS="--engine docker"
    make deploy-test ARGS="--stand-ins docker.io/library/debian:trixie-slim"   # instead of them
    make deploy-test ARGS="--stay"             # leaves it running

While the tournament runs, a second worker is added, and all services are updated to another image,
one at a time. No match may be lost, and no bot may have a fault. BUILD_OPTIONS adds options to
`podman build` (such as "--network host"), PIP_BUILD_OPTIONS to steps that use pip (certificates, an
index). COMPOSE replaces podman-compose.
"""

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deployment import Deployment, Failed, service, until
from outside import EVERYBODY, Outside

# Generous, so that load on the machine causes no timeouts. The grace period after a lost gateway is
# still 10 s.
MOVE_MS = 30_000
TABLES = 15  # of 4 out of 6 bots
AUTHORITY = "/data/caddy/pki/authorities/local/root.crt"
# In an operator's order. Matches must be played while the first services are updated.
PLAYING = ("gateway-1", "gateway-2", "worker")
ROLLED = (*PLAYING, "prompt-worker", "review-worker", "beat", "dashboard", "host")
JOBS = ("gateway", "worker", "prompt-worker", "review-worker", "beat", "dashboard")


@contextmanager
def step(what: str) -> Iterator[None]:
    """Print a step and its duration."""
    began = time.monotonic()
    yield
    print(f"{time.monotonic() - began:7.1f} s  {what}", flush=True)


def main() -> int:
    """Run the test and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--engine", choices=["podman", "docker"], default="podman")
    parser.add_argument("--stand-ins", default="", metavar="IMAGE", help="a Debian image")
    parser.add_argument(
        "--matches", type=int, default=400, help=f"matches per table, of {TABLES} tables"
    )
    parser.add_argument(
        "--port", type=int, default=18443, help="port of the proxy, which also uses the next one"
    )
    parser.add_argument("--stay", action="store_true", help="leave it running at the end")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # remove everything
    with tempfile.TemporaryDirectory(prefix="lama-arena-test-") as name:
        folder = Path(name)
        deployment = Deployment(asked.engine, folder, stand_ins=asked.stand_ins, port=asked.port)
        deployment.down()  # remains of a killed run
        try:
            with step("all of it"):
                play(deployment, folder, asked.matches)
            if asked.stay:
                stay(deployment, folder)
        except Failed as failure:
            print(f"FAILED: {failure}", flush=True)
            return 1
        finally:
            with step("taken down"):
                deployment.down()
    return 0


def play(deployment: Deployment, folder: Path, matches: int) -> None:
    """The story, from images to a tournament that was checked. Raises Failed."""
    with step("stand-ins of the images that a registry would have"):
        deployment.build_stand_ins()
    with step("the arena's image built"):
        deployment.build("1")
    with step("the same with another label, as a new release would be"):
        deployment.build("2")
    print(f"           {deployment.image_size_mb('1')} MB", flush=True)
    with step("`up --detach`, until all services are well"):
        deployment.compose("up", "--detach")
        deployment.await_well()
    outside = stranger(deployment, folder)
    try:
        with step("the dashboard read by HTTPS, two bots connected by grpcs://, one submitted"):
            look_around(outside, folder)
        tournament(deployment, outside, folder, matches)
    finally:
        outside.disconnect()
    with step("Prometheus knows every process, and its rules"):
        measured(deployment)


def stranger(deployment: Deployment, folder: Path) -> Outside:
    """Return a client that trusts the proxy's authority and has the admin token."""
    deployment.copy_out("proxy", AUTHORITY, folder / "root.crt")
    return Outside(deployment.port, deployment.admin_token, folder / "root.crt")


def look_around(outside: Outside, folder: Path) -> None:
    """Open pages and connect bots. Raises Failed."""
    until("/api/health reports no problem", lambda: not outside.health()["problems"], 60)
    if "<html" not in outside.page("/"):
        raise Failed("The home page is not HTML.")
    outside.connect("first", "deploy/test/bots.py:First", folder / "first.log")
    outside.connect("cautious", "deploy/test/bots.py:Cautious", folder / "cautious.log")
    outside.submit("hosted", "deploy/test/hosted.py")
    outside.await_connected(*EVERYBODY)


def tournament(deployment: Deployment, outside: Outside, folder: Path, matches: int) -> None:
    """Play a tournament that survives a rolling update. Raises Failed."""
    patient = ("--matches", str(matches), "--move-ms", str(MOVE_MS))
    made = outside.told("tournament", "new", *EVERYBODY, *patient)
    number, total = int(made["id"]), TABLES * matches

    def played() -> int:
        return int(outside.tournament(number).get("played", 0))

    with step(f"a tournament of {total} matches under way"):
        until("a match is played", lambda: played() > 0)
    with step("a second worker added"):
        deployment.compose("up", "--detach", "--no-deps", "--scale", "worker=2", "worker")
        until("it has started", lambda: outside.health()["workers"] == 2)
    before = played()
    deployment.choose("2")
    for name in ROLLED:
        with step(f"{name} updated to the new image"):
            update(deployment, name)
        if name == PLAYING[-1]:
            after = played()
            print(f"           matches played: {before} at the start, {after} now", flush=True)
            if after >= total:
                raise Failed("The tournament ended too early. Pass more --matches.")
    with step("the tournament finished"):
        until("it is finished", lambda: outside.tournament(number)["state"] == "finished", 1800)
    with step("no faults, all matches stored, everything verified"):
        print(f"           {outside.check(number, total, made['commitment'], folder)}", flush=True)


def update(deployment: Deployment, name: str) -> None:
    """Restart one service from the chosen image."""
    before = {each["Id"] for each in deployment.containers() if service(each) == name}
    scale = ("--scale", "worker=2") if name == "worker" else ()
    deployment.compose("up", "--detach", "--no-deps", *scale, name)
    deployment.await_well(name)
    now = {each["Id"] for each in deployment.containers() if service(each) == name}
    if before & now or len(now) != len(before):
        raise Failed(f"{name} was not replaced: {before} before, {now} now.")


def measured(deployment: Deployment) -> None:
    """Check that Prometheus reaches all processes and accepts the rules. Raises Failed."""
    deployment.compose("--profile", "metrics", "up", "--detach", "--no-deps", "prometheus")
    deployment.await_well("prometheus")

    def asked(*words: str) -> str:
        command = ("--profile", "metrics", "exec", "-T", "prometheus", "promtool")
        return deployment.compose(*command, *words)

    asked("check", "rules", "/etc/prometheus/rules.yaml")
    asked("test", "rules", "/etc/prometheus/rules_test.yaml")

    def all_up() -> bool:
        told = asked("query", "instant", "http://127.0.0.1:9090", "min by (job) (up)")
        return all(f'{{job="{job}"}} => 1 ' in told for job in JOBS)

    until("all processes are seen", all_up, 90)


def stay(deployment: Deployment, folder: Path) -> None:
    """Wait for the return key."""
    print(f"The dashboard: https://localhost:{deployment.port}", flush=True)
    print(f"Bots connect to grpcs://localhost:{deployment.port}, ARENA_TLS_CA={folder}/root.crt")
    print(f"ARENA_ADMIN_TOKEN={deployment.admin_token}")
    input("Press Return to stop everything. ")


if __name__ == "__main__":
    sys.exit(main())
