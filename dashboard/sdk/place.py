"""Where a bot connects to, and how it is installed, as its author has to write it."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import url_for

from arena.config import Settings
from dashboard.sdk.wheel import authors_wheel

EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104  addresses a gateway listens on, not connects to


def gateway_url(settings: Settings, reached_at: str) -> str:
    """HOST:PORT, with grpcs:// before it where the gateway speaks TLS.

    `reached_at` is the address the reader's browser found the dashboard at: its host is taken
    where the gateway listens on all addresses.
    """
    if settings.gateway_url:
        return settings.gateway_url
    host = settings.host
    if host in EVERYWHERE:
        host = urlsplit(reached_at).hostname or "127.0.0.1"
    bracketed = f"[{host}]" if ":" in host else host
    return f"{'grpcs://' if settings.tls_cert else ''}{bracketed}:{settings.port}"


def install_line() -> str:
    """The command that installs the package, as it works on another machine."""
    return f"pip install {url_for('sdk.package', wheel=authors_wheel().stem, _external=True)}"
