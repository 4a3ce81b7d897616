"""ARENA_* variables that no process reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from arena.base import website
from arena.base.config import Settings
from arena.service.health.finding import Finding, wrong

# Read by bots and the command line, not by the processes of an arena.
OF_CLIENTS = (
    "ARENA_URL",
    "ARENA_TOKEN",
    "ARENA_BOT_KEY",
    "ARENA_BOT_VERSION",
    "ARENA_DASHBOARD",
)
PREFIX = "ARENA_"
KNOWN = (*(f"ARENA_{name.upper()}" for name in Settings.model_fields), *OF_CLIENTS, "ARENA_PURE")

MEANT = [name.removeprefix(PREFIX) for name in KNOWN]


def examine_names(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Yield unknown variables, with the name that may be meant."""
    for name in sorted(environ):
        if not name.upper().startswith(PREFIX) or name.upper() in KNOWN:
            continue
        near = get_close_matches(name.upper().removeprefix(PREFIX), MEANT, n=1)
        yield wrong(
            "settings",
            f"{name} is not a known variable.",
            f"If you mean {PREFIX}{near[0]}, rename it." if near else _unset(),
        )


def _unset() -> str:
    return f"Unset it. All variables are listed at {website.docs('configuration')}."
