"""Sign-in providers. Authlib implements the protocol: state, nonce, PKCE, signatures.

Authlib is slow to import, so it is only imported if a provider is configured.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask, current_app, url_for

from arena.base.config import Settings
from arena.service.health.external_services import sign_in_providers
from arena.store.registry.identities import Identity
from dashboard.sources import sources

GITHUB = "https://github.com/login/oauth"
GITHUB_API = "https://api.github.com"
TIMEOUT_S = 10
LONGEST = 100  # characters of a name from a provider
# Limits concurrent requests to providers, so that a hanging one cannot block all threads.
TOGETHER = threading.BoundedSemaphore(4)
WAIT_S = 1.0  # for a free slot, when a whole class signs in at once
SAFE = {"code_challenge_method": "S256", "timeout": TIMEOUT_S}


class NotSignedIn(Exception):
    """A provider did not confirm the sign-in."""


def register(app: Flask, settings: Settings) -> None:
    """Register the configured providers. Raises InvalidRequest for incomplete settings."""
    configured = sign_in_providers(settings)
    if not configured:
        app.extensions["providers"] = None, {}
        return
    from authlib.integrations.flask_client import OAuth

    oauth, labels = OAuth(app), {}
    if "github" in configured:
        labels["github"] = "GitHub"
        oauth.register(
            "github",
            client_id=settings.github_id,
            client_secret=settings.github_secret,
            authorize_url=f"{GITHUB}/authorize",
            access_token_url=f"{GITHUB}/access_token",
            client_kwargs={"scope": "read:user", **SAFE},
        )
    if "openid" in configured:
        labels["openid"] = settings.oidc_name
        issuer = settings.oidc_issuer.rstrip("/")
        oauth.register(
            "openid",
            client_id=settings.oidc_id,
            client_secret=settings.oidc_secret,
            server_metadata_url=f"{issuer}/.well-known/openid-configuration",
            client_kwargs={"scope": "openid profile", **SAFE},
        )
    app.extensions["providers"] = oauth, labels


def labels() -> dict[str, str]:
    found: dict[str, str] = current_app.extensions["providers"][1]
    return found


def begin(name: str) -> Any:
    """Return the redirect to the provider. Raises NotSignedIn if it cannot be reached."""
    back = sources().settings.public_url.rstrip("/") + url_for("elsewhere.come_back", provider=name)
    try:
        with _asking():
            return _client(name).authorize_redirect(back)
    except _failures(ValueError, KeyError) as error:
        raise NotSignedIn(type(error).__name__) from error


def finish(name: str) -> Identity:
    """Return the identity that the provider confirmed. Raises NotSignedIn."""
    try:
        with _asking():
            return _told_by(name)
    except _failures(ValueError, KeyError, TypeError) as error:
        raise NotSignedIn(type(error).__name__) from error


def _failures(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """Return the errors of Authlib and its HTTP client, and these."""
    import requests
    from authlib.common.errors import AuthlibBaseError
    from joserfc.errors import JoseError

    return AuthlibBaseError, JoseError, requests.RequestException, *more


@contextmanager
def _asking() -> Iterator[None]:
    """Limit concurrent requests to providers. Raises NotSignedIn if all slots stay busy."""
    if not TOGETHER.acquire(timeout=WAIT_S):
        raise NotSignedIn("too many requests wait for a provider")
    try:
        yield
    finally:
        TOGETHER.release()


def _told_by(name: str) -> Identity:
    client = _client(name)
    token = client.authorize_access_token()
    if name == "github":
        answer = client.get(f"{GITHUB_API}/user", token=token)
        answer.raise_for_status()
        told = answer.json()
        return _identity(name, str(int(told["id"])), told["login"])
    told = token["userinfo"]  # of the ID token, which Authlib has verified
    shown = told.get("preferred_username") or told.get("name") or told["sub"]
    return _identity(key_of(name), str(told["sub"]), str(shown))


def provider_of(identity: Identity) -> str:
    return "github" if identity.provider == "github" else "openid"


def key_of(name: str) -> str:
    """Return the stored key of a provider: the issuer, for OpenID."""
    return name if name == "github" else sources().settings.oidc_issuer.rstrip("/")


def _identity(provider: str, subject: str, label: str) -> Identity:
    if not subject or len(subject) > 255 or not subject.isprintable():
        raise ValueError("no subject")
    shown = "".join(c for c in label if c.isprintable())
    return Identity(provider, subject, shown[:LONGEST] or subject)


def _client(name: str) -> Any:
    return getattr(current_app.extensions["providers"][0], name)
