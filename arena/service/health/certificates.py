"""Checks when the gateway's certificate expires."""

import ssl
from pathlib import Path

from arena.base.errors import InvalidRequest
from arena.base.text import duration
from arena.service.health.finding import Finding, fine, wrong

ABOUT = "certificate"
SOON_S = 14 * 86_400.0  # as in deploy/prometheus/rules.yaml
ADVICE = "Renew it. Gateways read its new files without a restart."


def expiry(certificate: Path) -> float:
    """The moment (Unix seconds) at which the first certificate of a chain expires. Raises
    InvalidRequest for a file that is not a PEM chain, and OSError."""
    from cryptography import x509  # of servers with TLS only

    try:
        chain = x509.load_pem_x509_certificates(certificate.read_bytes())
    except ValueError as error:
        raise InvalidRequest(
            f"{certificate} cannot be read as a certificate ({error}). Name a PEM file."
        ) from error
    return min(each.not_valid_after_utc.timestamp() for each in chain)


def check_pair(certificate: Path, key: Path) -> None:
    """Raises OSError for files that cannot be read, ssl.SSLError for content that cannot be used
    together, and ValueError for a key with a password, for which OpenSSL would ask the terminal."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate, key, password=_refuse_password)


def _refuse_password() -> str:
    raise ValueError("the key has a password")


def check_expiry(certificate: Path, now: float) -> Finding:
    """Whether a certificate is valid for at least `SOON_S`. `now` is in Unix seconds."""
    try:
        left = expiry(certificate) - now
    except (InvalidRequest, OSError) as error:
        return wrong(ABOUT, f"The certificate cannot be read ({error}).", "Correct ARENA_TLS_CERT.")
    if left >= SOON_S:
        return fine(ABOUT, f"{certificate} expires in {duration(left)}.")
    if left > 0:
        says = f"expires in {duration(left)}."
    else:
        says = f"expired {duration(-left)} ago, so bots refuse to connect."
    return wrong(ABOUT, f"{certificate} {says}", ADVICE, public=f"The gateway's certificate {says}")
