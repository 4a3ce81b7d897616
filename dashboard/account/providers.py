"""With whom people may sign in. Authlib does the protocol: state, nonce, PKCE, signatures.

It is imported where there is a provider: it takes a sixth of a dashboard's start.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask, current_app, url_for

from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.store.registry.identities import Identity
from dashboard.sources import sources

GITHUB = "https://github.com/login/oauth"
GITHUB_API = "https://api.github.com"
TIMEOUT_S = 10
LONGEST = 100  # characters of what a provider calls somebody
# Requests that ask a provider at once: one that hangs must not keep all threads of the dashboard.
TOGETHER = threading.BoundedSemaphore(4)
WAIT_S = 1.0  # for one of these to end: a whole class signs in at once
SAFE = {"code_challenge_method": "S256", "timeout": TIMEOUT_S}

INCOMPLETE = "Signing in with {} needs its client ID, its secret, and ARENA_PUBLIC_URL."


class NotSignedIn(Exception):
    """A provider's answer was none that can be relied upon."""


def register(app: Flask, settings: Settings) -> None:
    """Makes the settings' providers known. Raises InvalidRequest for half a setting."""
    github = settings.github_id or settings.github_secret
    openid = settings.oidc_issuer or settings.oidc_id or settings.oidc_secret
    if not (github or openid):
        app.extensions["providers"] = None, {}
        return
    from authlib.integrations.flask_client import OAuth

    oauth, labels = OAuth(app), {}
    if github:
        _check("GitHub", settings.github_id, settings.github_secret, settings.public_url)
        labels["github"] = "GitHub"
        oauth.register(
            "github",
            client_id=settings.github_id,
            client_secret=settings.github_secret,
            authorize_url=f"{GITHUB}/authorize",
            access_token_url=f"{GITHUB}/access_token",
            client_kwargs={"scope": "read:user", **SAFE},
        )
    if openid:
        given = settings.oidc_issuer, settings.oidc_id, settings.oidc_secret, settings.public_url
        _check(settings.oidc_name, *given)
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
    """What the providers are called, by the word in their addresses."""
    found: dict[str, str] = current_app.extensions["providers"][1]
    return found


def begin(name: str) -> Any:
    """Leads to the provider. Raises NotSignedIn if it cannot be reached."""
    back = sources().settings.public_url.rstrip("/") + url_for("elsewhere.come_back", provider=name)
    try:
        with _asking():
            return _client(name).authorize_redirect(back)
    except _failures(ValueError, KeyError) as error:
        raise NotSignedIn(type(error).__name__) from error


def finish(name: str) -> Identity:
    """Who has come back from the provider. Raises NotSignedIn."""
    try:
        with _asking():
            return _told_by(name)
    except _failures(ValueError, KeyError, TypeError) as error:
        raise NotSignedIn(type(error).__name__) from error


def _failures(*more: type[Exception]) -> tuple[type[Exception], ...]:
    """Errors of Authlib and its HTTP client, and these."""
    import requests
    from authlib.common.errors import AuthlibBaseError
    from joserfc.errors import JoseError

    return AuthlibBaseError, JoseError, requests.RequestException, *more


@contextmanager
def _asking() -> Iterator[None]:
    """Raises NotSignedIn while as many requests as may wait for a provider."""
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
    """The word for the provider in addresses."""
    return "github" if identity.provider == "github" else "openid"


def key_of(name: str) -> str:
    """What identities of a provider are stored under: another issuer is another provider."""
    return name if name == "github" else sources().settings.oidc_issuer.rstrip("/")


def _identity(provider: str, subject: str, label: str) -> Identity:
    if not subject or len(subject) > 255 or not subject.isprintable():
        raise ValueError("no subject")
    shown = "".join(c for c in label if c.isprintable())
    return Identity(provider, subject, shown[:LONGEST] or subject)


def _client(name: str) -> Any:
    return getattr(current_app.extensions["providers"][0], name)


def _check(called: str, *given: str) -> None:
    if not all(given):
        raise InvalidRequest(INCOMPLETE.format(called))
