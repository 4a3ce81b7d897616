"""The ARENA_* variables: unknown and contradictory ones."""

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
# Read by bots and the command line, not by the processes of an arena.
OF_CLIENTS = ("ARENA_URL", "ARENA_TOKEN", "ARENA_BOT_KEY", "ARENA_DASHBOARD")
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
            ABOUT,
            f"{name} is not a known variable.",
            f"If you mean {PREFIX}{near[0]}, rename it." if near else _unset(),
        )


def _unset() -> str:
    return f"Unset it. All variables are listed at {website.docs('configuration')}."


def examine_settings(settings: Settings) -> Iterator[Finding]:
    """Yield contradictory and unusable settings."""
    found = [*_tls(settings), *_ports(settings), *_logs(settings), *_addresses(settings)]
    yield from found
    if not found:
        yield fine(ABOUT, f"{len(settings.model_fields_set)} are set, without contradictions.")


def _tls(settings: Settings) -> Iterator[Finding]:
    if bool(settings.tls_cert) != bool(settings.tls_key):
        there, missing = "ARENA_TLS_CERT", "ARENA_TLS_KEY"
        if settings.tls_key:
            there, missing = missing, there
        yield wrong(
            ABOUT,
            f"{there} is set without {missing}, so gateways cannot start.",
            f"Set {missing}, or unset {there}.",
        )
    plain = settings.gateway_url and not settings.gateway_url.startswith("grpcs://")
    if settings.tls_cert and plain:
        yield wrong(
            ABOUT,
            "The gateway uses TLS, but ARENA_GATEWAY_URL is an address without TLS.",
            "Start ARENA_GATEWAY_URL with grpcs://.",
        )


def _ports(settings: Settings) -> Iterator[Finding]:
    taken: dict[int, str] = {}
    for variable, port in _wanted(settings):
        if port in taken:
            yield wrong(
                ABOUT,
                f"{variable} and {taken[port]} are both {port}.",
                "Set different ports.",
            )
        taken.setdefault(port, variable)
    if settings.share_port and not settings.port:
        yield wrong(
            ABOUT,
            "ARENA_SHARE_PORT is set, but ARENA_PORT is 0, so each gateway uses another port.",
            "Set ARENA_PORT to the shared port.",
        )


def _wanted(settings: Settings) -> Iterator[tuple[str, int]]:
    """Yield the configured ports. Metrics have several consecutive ones."""
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
                f"ARENA_{name.upper()} is {getattr(settings, name)!r}, so processes cannot start.",
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
            "The database is a local file, but Redis is on another machine, whose processes would "
            "use another database.",
            "For an arena on several machines, set ARENA_DATABASE_URL to a PostgreSQL server.",
        )
