"""The signature of a message by the Standard Webhooks specification: HMAC-SHA256 over its id, time
and body. It protects against forged, modified and replayed messages."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable

from arena.store.registry.webhooks.hooks import PREFIX


def signature(secret: str, event: str, timestamp: int, body: bytes) -> str:
    """Return the signature of a body sent at `timestamp` (Unix seconds)."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    made = hmac.digest(key, f"{event}.{timestamp}.".encode() + body, "sha256")
    return "v1," + base64.b64encode(made).decode()


def headers(secrets: Iterable[str], event: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the signed headers of a message, with one signature per secret.

    The receiver knows one of the secrets.
    """
    return {
        "webhook-id": event,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(
            signature(secret, event, timestamp, body) for secret in secrets
        ),
    }
