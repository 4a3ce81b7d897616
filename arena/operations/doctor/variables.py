"""The ARENA_* variables: those that nobody reads, and those that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from arena.base import website
from arena.base.config import Settings
from arena.base.logs import FORMATS, LEVELS
from arena.base.metrics import OFFSETS, metrics_port
from arena.service.health.finding import Finding, fine, wrong
from arena.service.live.connect import place

ABOUT = "settings"
# Read by programs of bots and by the command line, not by the processes of an arena.
OF_CLIENTS = ("ARENA_URL", "ARENA_TOKEN", "ARENA_BOT_KEY", "ARENA_DASHBOARD")
PREFIX = "ARENA_"
KNOWN = (*(f"ARENA_{name.upper()}" for name in Settings.model_fields), *OF_CLIENTS, "ARENA_PURE")

MEANT = [name.removeprefix(PREFIX) for name in KNOWN]


def examine_names(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Variables that nobody reads, each with the name that may have been meant."""
    for name in sorted(environ):
        if not name.upper().startswith(PREFIX) or name.upper() in KNOWN:
            continue
        near = get_close_matches(name.upper().removeprefix(PREFIX), MEANT, n=1)
        yield wrong(
            ABOUT,
            f"{name} is set, and nothing reads it.",
            f"Call it {PREFIX}{near[0]}, if that is meant." if near else _unset(),
        )


def _unset() -> str:
    return f"Unset it. All variables are listed at {website.docs('configuration')}."


def examine_settings(settings: Settings) -> Iterator[Finding]:
    """Settings that contradict each other or cannot be used."""
    found = [*_tls(settings), *_ports(settings), *_logs(settings), *_addresses(settings)]
    yield from found
    if not found:
        yield fine(ABOUT, f"{len(settings.model_fields_set)} are set; none contradicts another.")


def _tls(settings: Settings) -> Iterator[Finding]:
    if bool(settings.tls_cert) != bool(settings.tls_key):
        there, missing = "ARENA_TLS_CERT", "ARENA_TLS_KEY"
        if settings.tls_key:
            there, missing = missing, there
        yield wrong(
            ABOUT,
            f"{there} is set without {missing}, so no gateway starts.",
            f"Set {missing} too, or neither.",
        )
    plain = settings.gateway_url and not settings.gateway_url.startswith("grpcs://")
    if settings.tls_cert and plain:
        yield wrong(
            ABOUT,
            "The gateway speaks TLS, but ARENA_GATEWAY_URL tells authors to connect without it.",
            "Begin ARENA_GATEWAY_URL with grpcs://.",
        )


def _ports(settings: Settings) -> Iterator[Finding]:
    taken: dict[int, str] = {}
    for variable, port in _wanted(settings):
        if port in taken:
            yield wrong(
                ABOUT,
                f"{variable} and {taken[port]} are both {port}.",
                "Give each a port of its own.",
            )
        taken.setdefault(port, variable)
    if settings.share_port and not settings.port:
        yield wrong(
            ABOUT,
            "ARENA_SHARE_PORT is set with ARENA_PORT 0, so each gateway takes another port.",
            "Set ARENA_PORT to the port that they are to share.",
        )


def _wanted(settings: Settings) -> Iterator[tuple[str, int]]:
    """The ports that are asked for; metrics have several behind each other."""
    wanted = {
        "ARENA_PORT": settings.port,
        "ARENA_DASHBOARD_PORT": settings.dashboard_port,
        **{f"ARENA_METRICS_PORT ({name})": metrics_port(settings, name) for name in OFFSETS},
    }
    yield from ((variable, port) for variable, port in wanted.items() if port)


def _logs(settings: Settings) -> Iterator[Finding]:
    for name, choices in (("log_level", LEVELS), ("log_format", FORMATS)):
        if getattr(settings, name).lower() not in choices:
            yield wrong(
                ABOUT,
                f"ARENA_{name.upper()} is {getattr(settings, name)!r}, so no process starts.",
                f"Set it to one of {', '.join(choices)}.",
            )


def _addresses(settings: Settings) -> Iterator[Finding]:
    ours = ("127.", "localhost", "[::1]", "/")
    shared = "redis_url" in settings.model_fields_set and not place(settings.redis_url).startswith(
        ours
    )
    if shared and settings.database.startswith("sqlite"):
        yield wrong(
            ABOUT,
            "The database is a file of this machine, but Redis is on another one: processes there "
            "would have another database.",
            "Set ARENA_DATABASE_URL to a PostgreSQL server where machines share an arena.",
        )
