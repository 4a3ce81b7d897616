"""The gateway's certificate. Renewed files are used without a restart."""

import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import structlog
from prometheus_client.core import GaugeMetricFamily

from arena.base import instant
from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.service.health.certificates import check_pair, expiry

log = structlog.get_logger(__name__)

AGAIN_S = 5.0  # after files could not be read


class Certificate:
    """A certificate chain and its key (PEM), read again when a bot connects after their files
    changed. Files that cannot be used are logged, and the last usable ones stay in use.

    It is also a collector of Prometheus, for the time until the chain in use expires.
    """

    def __init__(self, chain: Path, key: Path) -> None:
        """Raises InvalidRequest for files that cannot be used."""
        self._files = chain, key
        self._lock = threading.Lock()  # gRPC and Prometheus call from their threads
        self._version = _version(chain, key)
        self._pause_ends = 0.0
        self._pair, self._ends = self._read()
        self._told = self._pair

    def credentials(self) -> grpc.ServerCredentials:
        """For `add_secure_port`. gRPC asks for a new pair at each connection, in threads."""
        renewed: Any = self._renewed  # the stubs do not allow its None
        return grpc.dynamic_ssl_server_credentials(_configuration(self._pair), renewed)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yields the gauge, which is negative once the certificate has expired."""
        self._read_again()
        if (ends := self._ends) is not None:
            what = "Seconds until the gateway's certificate expires"
            yield GaugeMetricFamily("arena_certificate_seconds", what, ends - instant.now())

    def _renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """The pair, if gRPC does not have it yet."""
        self._read_again()
        if self._pair == self._told:
            return None
        self._told = self._pair
        return _configuration(self._pair)

    def _read_again(self) -> None:
        with self._lock:
            version = _version(*self._files)
            if version == self._version or time.monotonic() < self._pause_ends:
                return
            try:
                self._pair, self._ends = self._read()
            except InvalidRequest as error:
                log.warning("the last usable certificate stays in use", error=str(error))
                # Other errors may pass by themselves.
                if not isinstance(error.__cause__, (ssl.SSLError, ValueError)):
                    self._pause_ends = time.monotonic() + AGAIN_S
                    return
            else:
                log.info("the certificate is renewed", file=str(self._files[0]))
            self._version = version

    def _read(self) -> tuple[tuple[bytes, bytes], float | None]:
        """Key and chain, as gRPC wants them; when the chain expires (Unix seconds), if known."""
        chain, key = self._files
        try:
            check_pair(chain, key)  # gRPC would only report that it cannot listen
            pair = key.read_bytes(), chain.read_bytes()
        except (OSError, ValueError) as error:
            raise InvalidRequest(
                f"The certificate {chain} with the key {key} cannot be used ({error})."
                " ARENA_TLS_CERT names the certificate and ARENA_TLS_KEY its key, both as PEM."
            ) from error
        try:
            return pair, expiry(chain)
        except (InvalidRequest, OSError):
            return pair, None


def certificate_of(settings: Settings) -> Certificate | None:
    """The certificate in the settings; None without TLS. Raises InvalidRequest."""
    chain, key = settings.tls_cert, settings.tls_key
    if chain is None and key is None:
        return None
    if chain is None or key is None:
        raise InvalidRequest("TLS needs both ARENA_TLS_CERT and ARENA_TLS_KEY.")
    for name, file in (("ARENA_TLS_CERT", chain), ("ARENA_TLS_KEY", key)):
        if not file.is_file():
            raise InvalidRequest(f"{name} is {file}, which is not a file. Correct {name}.")
    return Certificate(chain, key)


def _configuration(pair: tuple[bytes, bytes]) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration([pair])


def _version(*files: Path) -> list[tuple[int, int, int] | None]:
    """Changes with the content or the permissions of the files, or with what a link leads to."""
    return [_stamp(file) for file in files]


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns
