"""The secret key, and the one before it, which is accepted while it is being replaced."""

from __future__ import annotations

from flask import Flask, current_app


def register(app: Flask, key: str, old: str = "") -> None:
    """Signs with `key` from now on. What `old` signed, if it is given, is accepted as well."""
    app.secret_key = key
    if old:
        app.config["SECRET_KEY_FALLBACKS"] = [old]
    app.config["WTF_CSRF_SECRET_KEY"] = accepted(app)


def accepted(app: Flask | None = None) -> list[str]:
    """The keys of an application, by default the present one, as itsdangerous takes them: it signs
    with the last one and accepts all."""
    of = app or current_app
    return [*(of.config.get("SECRET_KEY_FALLBACKS") or ()), str(of.secret_key)]
