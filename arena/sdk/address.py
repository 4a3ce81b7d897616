"""The address of a gateway, and the certificates that clients trust."""

import os
import re
import ssl
from dataclasses import dataclass
from pathlib import Path

from arena.base.errors import InvalidRequest

DEFAULT = "127.0.0.1:7420"
FORMS = "HOST:PORT, grpc://HOST:PORT or grpcs://HOST:PORT (with TLS)"
WHERE = "Your bot's page on the website shows the address of the gateway"


@dataclass(frozen=True)
class Address:
    """A gateway's address.

    `roots` are the trusted root certificates (PEM), or None for the public authorities.
    `roots_from` is the file that they were read from.
    """

    url: str
    place: str  # HOST:PORT
    tls: bool
    roots: bytes | None = None
    roots_from: str = ""

    def explained(self, details: str) -> str:
        """Returns a sentence on a failed connection and its remedy; `details` is gRPC's message."""
        if failed := re.search(r"CERTIFICATE_VERIFY_FAILED: ([^:]+)", details):
            return self._distrusted(failed[1])
        if "Hostname Verification Check failed" in details or "Peer name" in details:
            host = self.place.rpartition(":")[0]
            return (
                f"The certificate of the arena at {self.url} is not valid for {host}. "
                "Connect to a name in the certificate, or have one issued for this name."
            )
        if self.tls and "WRONG_VERSION_NUMBER" in details:
            return f"The server at {self.place} does not speak TLS. Remove grpcs://."
        if not self.tls and "Socket closed" in details:
            return (
                f"The server at {self.place} closes the connection. If it speaks TLS, "
                f"connect to grpcs://{self.place}."
            )
        return f"The arena at {self.url} cannot be used: {self._unreachable(details)}."

    def _unreachable(self, details: str) -> str:
        if "http1.x server" in details:
            return f"this is a web server, not a gateway. {WHERE}"
        if "Connection refused" in details:
            return "nothing listens there. Check the address, or start the arena"
        if "DNS resolution failed" in details or "Domain name not found" in details:
            return f"no host has the name {self.place.rpartition(':')[0]}. Check the address"
        return details.rstrip(".")

    def _distrusted(self, why: str) -> str:
        if "expired" in why or "not yet valid" in why:
            return f"The certificate of the arena at {self.url} is not valid: {why}."
        remedy = (
            f"ARENA_TLS_CA is {self.roots_from}, which does not contain the certificate that"
            " signed it. Get the right file from the arena's operator."
            if self.roots
            else "If you trust the arena, get the certificate that signed it (PEM) from the"
            " arena's operator, and set ARENA_TLS_CA to that file."
        )
        return f"The certificate of the arena at {self.url} is not trusted ({why}). {remedy}"


def address(url: str, tls_ca: str | Path | None = None) -> Address:
    """Parses HOST:PORT, grpc://HOST:PORT or grpcs://HOST:PORT.

    `tls_ca` is a file of root certificates, used only with TLS. Raises InvalidRequest.
    """
    url = url.strip()
    scheme, divider, place = url.rpartition("://")
    place = place.rstrip("/")
    if scheme in ("http", "https"):
        raise InvalidRequest(f"{url!r} is the address of a website, not of a gateway. {WHERE}.")
    if scheme not in ("", "grpc", "grpcs") or (divider and not scheme) or ":" not in place:
        raise InvalidRequest(f"{url!r} is not the address of a gateway. Give it as {FORMS}.")
    if scheme != "grpcs" or not tls_ca:
        return Address(url, place, scheme == "grpcs")
    return Address(url, place, True, root_certificates(tls_ca), str(tls_ca))


def root_certificates(file: str | Path) -> bytes:
    """The content of a file of root certificates. Raises InvalidRequest if it has none."""
    try:
        content = Path(file).read_bytes()
        # Checked here because gRPC would only report that it cannot connect.
        ssl.create_default_context(cadata=content.decode("ascii", errors="replace"))
    except OSError as error:
        reason = error.reason if isinstance(error, ssl.SSLError) else error.strerror
        raise InvalidRequest(
            f"ARENA_TLS_CA is {file}, which cannot be used ({reason or error}). "
            "Set it to a file of certificates (PEM)."
        ) from None
    return content


def usual_address() -> str:
    """Returns ARENA_URL, else the gateway of the arena in the data folder, else the default.

    Waits if that arena is starting. Raises Unavailable.
    """
    return os.environ.get("ARENA_URL") or in_folder() or DEFAULT


def in_folder(data: Path | None = None) -> str | None:
    """Returns the gateway of the arena that runs in `data` (default: the data folder), or None.

    Waits if that arena is starting. Raises Unavailable.
    """
    try:
        from arena.base import folder
    except ImportError:  # Windows has no fcntl, and arenas do not run there
        return None
    running = folder.await_running(data or folder.usual())
    return running.gateway if running else None


def tls_ca() -> str | None:
    """Returns the file named by ARENA_TLS_CA, or None."""
    return os.environ.get("ARENA_TLS_CA") or None
