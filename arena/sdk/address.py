"""Where an arena is and whether its certificate is trusted, for whoever connects to a gateway."""

from __future__ import annotations

import os
import re
import ssl
from dataclasses import dataclass
from pathlib import Path

from arena.errors import InvalidRequest

FORMS = "HOST:PORT, grpc://HOST:PORT or grpcs://HOST:PORT (with TLS)"


@dataclass(frozen=True)
class Address:
    """A gateway. `roots` are the certificates (PEM) that its own must be signed by; None: those
    of the public authorities. `roots_from` is the file they are from."""

    url: str
    place: str  # HOST:PORT
    tls: bool
    roots: bytes | None = None
    roots_from: str = ""

    def explained(self, details: str) -> str:
        """What went wrong with a connection, and what to do; `details` are gRPC's words."""
        if failed := re.search(r"CERTIFICATE_VERIFY_FAILED: ([^:]+)", details):
            return self._distrusted(failed[1])
        if "Hostname Verification Check failed" in details or "Peer name" in details:
            host = self.place.rpartition(":")[0]
            return (
                f"The certificate of the arena at {self.url} is for another name than {host}: "
                "connect to a name that stands in the certificate, or have one issued for this."
            )
        if self.tls and "WRONG_VERSION_NUMBER" in details:
            return f"What answers at {self.place} does not speak TLS: leave out grpcs://."
        if not self.tls and "Socket closed" in details:
            return (
                f"What answers at {self.place} closes the connection: if it speaks TLS, "
                f"connect to grpcs://{self.place}."
            )
        return f"The arena at {self.url} cannot be used: {details.rstrip('.')}."

    def _distrusted(self, why: str) -> str:
        if "expired" in why or "not yet valid" in why:
            return f"The certificate of the arena at {self.url} cannot be used: {why}."
        remedy = (
            f"ARENA_TLS_CA is {self.roots_from}, which does not hold the certificate that it is"
            " signed by: get the right file from whoever runs the arena."
            if self.roots
            else "if you trust it, get the certificate that it is signed by (PEM) from whoever"
            " runs the arena, and set ARENA_TLS_CA to that file."
        )
        return f"The certificate of the arena at {self.url} is not trusted ({why}): {remedy}"


def address(url: str, tls_ca: str | Path | None = None) -> Address:
    """The gateway at HOST:PORT, grpc://HOST:PORT or grpcs://HOST:PORT.

    `tls_ca` is a file of root certificates, which counts with TLS only. Raises InvalidRequest.
    """
    scheme, divider, place = url.rpartition("://")
    place = place.rstrip("/")
    if scheme not in ("", "grpc", "grpcs") or (divider and not scheme) or ":" not in place:
        raise InvalidRequest(f"{url!r} is not the address of a gateway; it looks like {FORMS}.")
    if scheme != "grpcs" or not tls_ca:
        return Address(url, place, scheme == "grpcs")
    return Address(url, place, True, root_certificates(tls_ca), str(tls_ca))


def root_certificates(file: str | Path) -> bytes:
    """The content of a file of root certificates. Raises InvalidRequest if it is none."""
    try:
        found = Path(file).read_bytes()
        # gRPC itself would only say that it cannot connect.
        ssl.create_default_context(cadata=found.decode("ascii", errors="replace"))
    except OSError as error:
        reason = error.reason if isinstance(error, ssl.SSLError) else error.strerror
        raise InvalidRequest(
            f"ARENA_TLS_CA is {file}, which cannot be used ({reason or error}): "
            "it should be a file of certificates (PEM)."
        ) from None
    return found


def tls_ca() -> str | None:
    """The file that ARENA_TLS_CA names."""
    return os.environ.get("ARENA_TLS_CA") or None
