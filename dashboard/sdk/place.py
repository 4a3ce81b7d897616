"""The gateway's address and install commands, as shown to authors."""

from __future__ import annotations

from urllib.parse import urlsplit

from arena.base import website
from arena.base.config import Settings
from arena.kit.new.languages import Language, files
from dashboard.sdk.wheel import PROJECT
from dashboard.site import address, home, link
from dashboard.sources import sources

EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104  addresses a gateway listens on, not connects to


def gateway_url(settings: Settings) -> str:
    """Return HOST:PORT, with grpcs:// if the gateway uses TLS.

    If the gateway listens on all addresses, the host of the website is used.
    """
    if settings.gateway_url:
        return settings.gateway_url
    host = settings.host
    if host in EVERYWHERE:
        host = urlsplit(address()).hostname or "127.0.0.1"
    bracketed = f"[{host}]" if ":" in host else host
    return f"{'grpcs://' if settings.tls_cert else ''}{bracketed}:{settings.port}"


def first_files(language: Language) -> dict[str, str]:
    """Return the files of a starter bot for this arena: text by name."""
    return files(language, site=home(), gateway=gateway_url(sources().settings))


def install_line(extra: str = "") -> str:
    """Return the command that installs the package, with an extra."""
    return website.install(extra, home())


def index_line() -> str:
    """Return the command that installs the package from this arena's index.

    Over plain HTTP, pip needs --trusted-host.
    """
    index = f"{link('sdk.projects')}/"
    found = urlsplit(index)
    trust = f" --trusted-host {found.hostname}" if found.scheme == "http" else ""
    return f"pip install --extra-index-url {index}{trust} {PROJECT}"
