"""deploy/compose.yaml, interpreted like by Compose."""

import re
from pathlib import Path
from typing import Any

import yaml

DEPLOY = Path(__file__).parents[1] / "deploy"
TEXT = (DEPLOY / "compose.yaml").read_text()
# "${NAME:-default}" and "${NAME:?message}"; "$$" stands for a dollar sign.
VARIABLE = re.compile(r"(?<!\$)\$\{([A-Z_]+):(?:(-)|\?)([^}]*)\}")
GIVEN = "given"  # the value of required variables


def interpolated(text: str) -> str:
    """The text with defaults, or `GIVEN` for variables without one."""
    return VARIABLE.sub(lambda found: found[3] if found[2] else GIVEN, text).replace("$$", "$")


def read(file: Path) -> dict[str, Any]:
    """A Compose file as shown by `docker compose config`."""
    document: dict[str, Any] = yaml.safe_load(interpolated(file.read_text()))
    return document


COMPOSE = read(DEPLOY / "compose.yaml")
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
# Services that run the arena's image.
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "lama-arena"}


def networks(service: str) -> set[str]:
    """The networks of a service."""
    return set(SERVICES[service]["networks"])


def names(network: str) -> set[str]:
    """The host names of services on a network."""
    found = {name for name in SERVICES if network in networks(name)}
    for name in sorted(found):
        settings = SERVICES[name]["networks"]
        if isinstance(settings, dict):
            found |= set(settings[network].get("aliases", ()))
    return found
