"""Self-signed certificates."""

import datetime
import ipaddress
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


class Pair(NamedTuple):
    """Files (PEM)."""

    certificate: Path
    key: Path


def self_signed(folder: Path, *names: str, days: int = 1) -> Pair:
    """A certificate for these names and addresses, valid from yesterday for the given days."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    yesterday = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(yesterday)
        .not_valid_after(yesterday + datetime.timedelta(days=1 + days, seconds=-1))
        .add_extension(x509.SubjectAlternativeName(map(_general_name, names)), critical=False)
        .sign(key, hashes.SHA256())
    )
    pair = Pair(folder / f"{names[0]}.pem", folder / f"{names[0]}.key")
    pair.certificate.write_bytes(certificate.public_bytes(Encoding.PEM))
    pair.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return pair


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
