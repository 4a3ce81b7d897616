"""The gateway's certificate: readable, fitting its key, valid for a while.

Python reads certificates only for those it has verified in a handshake, so one is made in memory.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from pathlib import Path

from arena.config import Settings
from arena.doctor.finding import Finding, fine, wrong
from arena.errors import InvalidRequest
from arena.sdk.address import root_certificates

ABOUT = "TLS"
SOON_DAYS = 14
DAY_S = 86_400.0
READ_BY_OTHERS = 0o004
RENEW = "Renew it, then start the gateways again."


def examine_tls(settings: Settings, now: float | None = None) -> Iterator[Finding]:
    """What is to be said of ARENA_TLS_CERT, ARENA_TLS_KEY and ARENA_TLS_CA. `now` in Unix
    seconds."""
    moment = time.time() if now is None else now
    if settings.tls_cert and settings.tls_key:
        yield from _pair(settings.tls_cert, settings.tls_key, moment)
    if settings.tls_ca:
        try:
            root_certificates(settings.tls_ca)
        except InvalidRequest as error:
            yield wrong(ABOUT, str(error), "Set ARENA_TLS_CA to such a file, or unset it.")
        else:
            yield fine(ABOUT, f"{settings.tls_ca} has the certificates to trust.")


def _pair(certificate: Path, key: Path, now: float) -> Iterator[Finding]:
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
            f"The certificate {certificate} and the key {key} do not fit together ({error}).",
            "Give a certificate chain and its own key, both PEM and without a password.",
        )
        return
    yield _validity(certificate, server, now)
    if key.stat().st_mode & READ_BY_OTHERS:
        yield wrong(
            ABOUT, f"Every user of this machine can read the key {key}.", f"Run chmod 600 {key}."
        )


def _refuse_password() -> str:
    """For a key with a password: otherwise OpenSSL would ask the terminal."""
    raise ValueError("the key has a password")


def _validity(certificate: Path, server: ssl.SSLContext, now: float) -> Finding:
    try:
        until = expires(certificate, server)
    except ssl.SSLCertVerificationError as error:
        return wrong(ABOUT, f"{certificate}: {error.verify_message}.", RENEW)
    except ssl.SSLError as error:
        return wrong(ABOUT, f"{certificate} cannot be used ({error.reason}).", RENEW)
    days = (until - now) / DAY_S
    if days < SOON_DAYS:
        left = f"expires in {days:.0f} days" if days >= 1 else "expires within a day"
        return wrong(ABOUT, f"{certificate} {left}.", RENEW)
    return fine(ABOUT, f"{certificate} fits its key and is valid for {days:.0f} more days.")


def expires(certificate: Path, server: ssl.SSLContext) -> float:
    """When the certificate with which `server` was set up ends (Unix seconds).

    Raises SSLCertVerificationError where it has ended or not begun.
    """
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.load_verify_locations(certificate)
    # The certificate itself is what is trusted, whoever signed it.
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (server.wrap_bio(there, back, server_side=True), client.wrap_bio(back, there))
    for _ in range(4):  # flights of a handshake
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    found = ends[1].getpeercert() or {}
    return float(ssl.cert_time_to_seconds(str(found["notAfter"])))
