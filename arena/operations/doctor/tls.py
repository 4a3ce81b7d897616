"""The gateway's certificate and key."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.sdk.address import root_certificates
from arena.service.health.finding import Finding, fine, wrong

ABOUT = "TLS"
READ_BY_OTHERS = 0o004


def examine_tls(settings: Settings) -> Iterator[Finding]:
    """Check ARENA_TLS_CERT, ARENA_TLS_KEY and ARENA_TLS_CA."""
    if settings.tls_cert and settings.tls_key:
        yield from _pair(settings.tls_cert, settings.tls_key)
    if settings.tls_ca:
        try:
            root_certificates(settings.tls_ca)
        except InvalidRequest as error:
            yield wrong(ABOUT, str(error), "Correct ARENA_TLS_CA, or unset it.")
        else:
            yield fine(ABOUT, f"{settings.tls_ca} has root certificates.")


def _pair(certificate: Path, key: Path) -> Iterator[Finding]:
    for file in (certificate, key):
        try:
            file.read_bytes()
        except OSError as error:
            yield wrong(
                ABOUT,
                f"{file} cannot be read ({error.strerror}).",
                "Correct the path, or let this user read it.",
            )
            return
    try:
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(certificate, key, password=_refuse_password)
    except (ssl.SSLError, OSError, ValueError) as error:
        yield wrong(
            ABOUT,
            f"The certificate {certificate} and the key {key} do not match ({error}).",
            "Use a certificate chain and its key, both in PEM format and without a password.",
        )
        return
    yield fine(ABOUT, f"The certificate {certificate} and the key {key} match.")
    if key.stat().st_mode & READ_BY_OTHERS:
        yield wrong(
            ABOUT, f"All users of this machine can read the key {key}.", f"Run `chmod 600 {key}`."
        )


def _refuse_password() -> str:
    """Reject keys with a password, for which OpenSSL would prompt."""
    raise ValueError("the key has a password")
