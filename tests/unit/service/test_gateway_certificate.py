"""The gateway's certificate, while its files are replaced."""

import errno
import math
import ssl
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from arena.base.errors import InvalidRequest
from arena.service.bootstrap import load_settings
from arena.service.gateway import certificate as module
from arena.service.gateway.certificate import Certificate, certificate_of
from tests.captured_logs import captured_logs
from tests.certificates import Pair, self_signed

DAY_S = 86_400.0


def days_left(certificate: Certificate) -> float:
    (family,) = certificate.collect()
    return float(family.samples[0].value) / DAY_S


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return self_signed(tmp_path, "arena.example", days=10)


def test_the_metric_is_negative_once_it_has_expired(tmp_path: Path) -> None:
    expired = self_signed(tmp_path, "old.example", days=0)

    assert days_left(Certificate(*expired)) < 0


def test_each_pair_is_given_to_grpc_once(pair: Pair) -> None:
    certificate = Certificate(*pair)
    assert certificate._renewed() is None
    assert 9 < days_left(certificate) < 11

    self_signed(pair.certificate.parent, "arena.example", days=90)

    assert 89 < days_left(certificate) < 91
    assert certificate._renewed() is not None
    assert certificate._renewed() is None


def test_half_a_pair_is_not_used_until_the_other_half_is_there(pair: Pair, tmp_path: Path) -> None:
    certificate = Certificate(*pair)
    (tmp_path / "new").mkdir()
    new = self_signed(tmp_path / "new", "arena.example", days=90)

    with captured_logs(module) as logged:
        new.certificate.replace(pair.certificate)
        assert certificate._renewed() is None
        assert certificate._renewed() is None
        assert 9 < days_left(certificate) < 11
        new.key.replace(pair.key)
        assert certificate._renewed() is not None

    warning, renewed = logged
    assert warning["log_level"] == "warning"
    assert "KEY_VALUES_MISMATCH" in warning["error"]
    assert renewed["event"] == "the certificate is renewed"
    assert 89 < days_left(certificate) < 91


def test_files_that_are_gone_for_a_while_cost_nothing(pair: Pair) -> None:
    certificate = Certificate(*pair)
    aside = pair.key.rename(pair.key.with_suffix(".old"))
    assert certificate._renewed() is None
    aside.rename(pair.key)
    assert certificate._renewed() is None
    assert 9 < days_left(certificate) < 11


def test_files_that_could_not_be_read_are_read_later(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = Certificate(*pair)
    self_signed(pair.certificate.parent, "arena.example", days=90)

    def too_many(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as busy, captured_logs(module) as logged:
        busy.setattr(ssl.SSLContext, "load_cert_chain", too_many)
        assert certificate._renewed() is None
        assert certificate._renewed() is None  # without another attempt, for a while
    assert len(logged) == 1
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: math.inf))

    assert certificate._renewed() is not None
    assert 89 < days_left(certificate) < 91


def test_a_key_with_a_password_is_refused_without_a_question(pair: Pair) -> None:
    key = load_pem_private_key(pair.key.read_bytes(), None)
    locked = BestAvailableEncryption(b"password")
    pair.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, locked))

    with pytest.raises(InvalidRequest, match="cannot be used .the key has a password"):
        Certificate(*pair)


def test_a_certificate_without_key_is_refused(pair: Pair) -> None:
    assert certificate_of(load_settings()) is None
    with pytest.raises(InvalidRequest, match="both ARENA_TLS_CERT and ARENA_TLS_KEY"):
        certificate_of(load_settings(tls_cert=pair.certificate))
    with pytest.raises(InvalidRequest, match="which is not a file. Correct ARENA_TLS_KEY"):
        certificate_of(load_settings(tls_cert=pair.certificate, tls_key=pair.key.parent))
