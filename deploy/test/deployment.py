"""The arena of deploy/compose.yaml, as podman or Docker runs it for a test."""

import json
import os
import secrets
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROJECT = "lama-arena-test"
IMAGE = f"localhost/{PROJECT}"
SERVICE = "com.docker.compose.service"
SECRETS = (
    "POSTGRES_PASSWORD",
    "VALKEY_PASSWORD",
    "ARENA_ADMIN_TOKEN",
    "ARENA_SECRET_KEY",
    "GRAFANA_PASSWORD",
)
OURS = ("ARENA_", "POSTGRES_", "VALKEY_", "GRAFANA_", "COMPOSE_")
PATIENCE_S = 300.0
LOOK_EVERY_S = 1.0


class Failed(Exception):
    """The test has failed; says why."""


def run(*words: str, quiet: bool = False, env: Mapping[str, str] | None = None) -> str:
    """What a command prints. Raises Failed with all that it said, if it fails."""
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True)
    if done.returncode and not quiet:
        said = done.stdout + done.stderr
        raise Failed(f"{shlex.join(words)} ended with status {done.returncode}:\n{said}")
    return done.stdout


def of_this_machine(variable: str) -> list[str]:
    """Additional options of a build on this machine."""
    return shlex.split(os.environ.get(variable, ""))


def until(what: str, condition: Callable[[], object], within_s: float = PATIENCE_S) -> None:
    """Waits until a condition holds. Raises Failed."""
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f"Not within {within_s:g} s: {what}.")
        time.sleep(LOOK_EVERY_S)


class Deployment:
    """All services and their options."""

    def __init__(self, engine: str, folder: Path, *, stand_ins: str, port: int) -> None:
        """`engine` is podman or docker. `stand_ins` is the Debian image for stand-ins, or "".

        The proxy uses `port` for TLS and the next one without."""
        self.engine = engine
        self.port = port
        self._stand_ins = stand_ins
        self._file = folder / "env"
        self._values = {name: secrets.token_hex(24) for name in SECRETS}
        self._values |= {
            "ARENA_DOMAIN": "localhost",
            "ARENA_HTTPS_PORT": str(port),
            "ARENA_HTTP_PORT": str(port + 1),
        }
        self._clean = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
        self.choose("1")

    @property
    def admin_token(self) -> str:
        """Of the Control service."""
        return self._values["ARENA_ADMIN_TOKEN"]

    # Images

    def build_stand_ins(self) -> None:
        """Whatever of it is not there yet, or has changed."""
        targets = ("python", "python-compiler", "postgres", "valkey", "caddy", "prometheus")
        for target in targets if self._stand_ins else ():
            base = ("--build-arg", f"BASE={self._stand_ins}", "--target", target)
            self._build(f"{IMAGE}-{target}", "deploy/test/Dockerfile", *base)

    def build(self, release: str) -> None:
        """The arena's own image, under a label that makes it another one each time."""
        options = ["--target", "server", "--label", f"lama-arena.test={release}"]
        options += of_this_machine("PIP_BUILD_OPTIONS")
        if self._stand_ins:
            bases = (f"BASE={IMAGE}-python", f"BUILD_BASE={IMAGE}-python-compiler")
            options += [word for base in bases for word in ("--build-arg", base)]
        self._build(f"{IMAGE}:{release}", "deploy/Dockerfile", *options)

    def _build(self, name: str, file: str, *options: str) -> None:
        own = of_this_machine("BUILD_OPTIONS")
        run(self.engine, "build", "--quiet", "--tag", name, "--file", file, *own, *options, ".")

    def image_size_mb(self, release: str) -> int:
        """What an image takes up, with its base."""
        (told,) = json.loads(run(self.engine, "image", "inspect", f"{IMAGE}:{release}"))
        return round(told["Size"] / 1e6)

    # Services

    def choose(self, release: str) -> None:
        """What is started from now on is of this image."""
        self._values["ARENA_IMAGE"] = f"{IMAGE}:{release}"
        self._file.touch(mode=0o600)
        self._file.write_text("".join(f"{k}={v}\n" for k, v in self._values.items()))

    def compose(self, *words: str, quiet: bool = False) -> str:
        """Runs `docker compose ...`, or what podman has for it."""
        files = ["--file", "deploy/compose.yaml"]
        if self._stand_ins:
            files += ["--file", "deploy/test/compose.override.yaml"]
        options = ("--project-name", PROJECT, "--env-file", str(self._file), *files)
        return run(*self._program(), *options, *words, quiet=quiet, env=self._clean)

    def _program(self) -> Sequence[str]:
        return shlex.split(
            os.environ.get("COMPOSE")
            or ("podman-compose" if self.engine == "podman" else "docker compose")
        )

    def containers(self) -> list[dict[str, Any]]:
        """What the engine knows of each."""
        mine = f"label=com.docker.compose.project={PROJECT}"
        ids = run(self.engine, "ps", "--all", "--quiet", "--filter", mine).split()
        return json.loads(run(self.engine, "inspect", *ids)) if ids else []

    def await_well(self, *services: str) -> None:
        """Waits until all containers of these services (of none: of all) are well."""
        well = set[str]()

        def all_well() -> bool:
            found = [
                each for each in self.containers() if not services or service(each) in services
            ]
            well.update(each["Id"] for each in found if each["Id"] not in well and self._well(each))
            return bool(found) and all(each["Id"] in well for each in found)

        try:
            until("all services are well", all_well)
        except Failed as failure:
            raise Failed(f"{failure}\n{self.troubles(well)}") from None

    def _well(self, container: Mapping[str, Any]) -> bool:
        state = container["State"]
        if service(container) == "migrate":
            return bool(state["Status"] == "exited" and state["ExitCode"] == 0)
        if state["Status"] != "running":
            return False
        if self.engine == "docker":
            return bool(state.get("Health", {}).get("Status") == "healthy")
        # Without systemd podman runs none by itself.
        words = (self.engine, "healthcheck", "run", container["Id"])
        return subprocess.run(words, capture_output=True).returncode == 0

    def troubles(self, well: set[str]) -> str:
        """The ends of the logs of what is not well."""
        ill = [each for each in self.containers() if each["Id"] not in well]
        return "\n".join(
            f"--- {service(each)} ({each['State']['Status']}):\n"
            + run("sh", "-c", f"{self.engine} logs --tail 15 {each['Id']} 2>&1", quiet=True)
            for each in ill
        )

    def copy_out(self, name: str, path: str, into: Path) -> None:
        """Copies a file out of a service's container."""
        (one,) = [each for each in self.containers() if service(each) == name]
        run(self.engine, "cp", f"{one['Id']}:{path}", str(into))

    def down(self) -> None:
        """Removes everything but the images of stand-ins."""
        self.compose("--profile", "metrics", "down", "--volumes", quiet=True)
        left = [each["Id"] for each in self.containers()]
        if left:
            run(self.engine, "rm", "--force", "--volumes", *left)


def service(container: Mapping[str, Any]) -> str:
    """Whose container it is."""
    return str(container["Config"]["Labels"][SERVICE])
