"""The signature of a message, as the Standard Webhooks specification has it: HMAC-SHA256 over its
number, the time and the body, so that nobody can make one up, change it, or send it again later."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable

from arena.store.registry.webhooks.hooks import PREFIX


def signature(secret: str, event: str, timestamp: int, body: bytes) -> str:
    """The signature of a body that is sent at this time (Unix seconds)."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    made = hmac.digest(key, f"{event}.{timestamp}.".encode() + body, "sha256")
    return "v1," + base64.b64encode(made).decode()


def headers(secrets: Iterable[str], event: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers of a message that its receiver checks; with a signature by each secret, of which
    the receiver knows one."""
    return {
        "webhook-id": event,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(
            signature(secret, event, timestamp, body) for secret in secrets
        ),
    }
