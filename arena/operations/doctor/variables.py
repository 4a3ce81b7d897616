"""Contradictory and unusable settings, and the certificate and key that they name."""

from collections.abc import Iterator
from pathlib import Path

from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.base.metrics import OFFSETS, metrics_port
from arena.sdk.address import root_certificates
from arena.service.health.certificates import check_pair
from arena.service.health.external_services import sign_in_providers, smtp_address
from arena.service.health.finding import Finding, fine, wrong
from arena.service.live.connect import place

ABOUT = "settings"
TLS = "TLS"
SHORTEST_KEY = 16
READ_BY_OTHERS = 0o004  # a bit of file modes


def examine_settings(settings: Settings) -> Iterator[Finding]:
    """Yield contradictory and unusable settings."""
    found = [
        each
        for check in (_tls, _ports, _addresses, _external_services, _secret_key)
        for each in check(settings)
    ]
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


def _external_services(settings: Settings) -> Iterator[Finding]:
    for check in (smtp_address, sign_in_providers):
        try:
            check(settings)
        except InvalidRequest as error:
            yield wrong(ABOUT, f"{error} So dashboards cannot start.", "Correct or unset it.")


def _secret_key(settings: Settings) -> Iterator[Finding]:
    if 0 < len(settings.secret_key) < SHORTEST_KEY:
        yield wrong(
            ABOUT,
            f"ARENA_SECRET_KEY has {len(settings.secret_key)} characters, so others can guess it"
            " and forge sessions.",
            f"Set a random text of at least {SHORTEST_KEY} characters.",
        )


def examine_tls(settings: Settings) -> Iterator[Finding]:
    """Check ARENA_TLS_CERT, ARENA_TLS_KEY and ARENA_TLS_CA."""
    if settings.tls_cert and settings.tls_key:
        yield from _pair(settings.tls_cert, settings.tls_key)
    if settings.tls_ca:
        try:
            root_certificates(settings.tls_ca)
        except InvalidRequest as error:
            yield wrong(TLS, str(error), "Correct ARENA_TLS_CA, or unset it.")
        else:
            yield fine(TLS, f"{settings.tls_ca} has root certificates.")


def _pair(certificate: Path, key: Path) -> Iterator[Finding]:
    for file in (certificate, key):
        try:
            file.read_bytes()
        except OSError as error:
            yield wrong(
                TLS,
                f"{file} cannot be read ({error.strerror}).",
                "Correct the path, or let this user read it.",
            )
            return
    try:
        check_pair(certificate, key)
    except (OSError, ValueError) as error:
        yield wrong(
            TLS,
            f"The certificate {certificate} and the key {key} do not match ({error}).",
            "Use a certificate chain and its key, both in PEM format and without a password.",
        )
        return
    yield fine(TLS, f"The certificate {certificate} and the key {key} match.")
    if key.stat().st_mode & READ_BY_OTHERS:
        yield wrong(
            TLS, f"All users of this machine can read the key {key}.", f"Run `chmod 600 {key}`."
        )
