"""The secret key, and the previous one, which is still accepted during a rotation."""

from flask import Flask, current_app


def register(app: Flask, key: str, old: str = "") -> None:
    """Sign with `key`, and also accept signatures by `old` if given."""
    app.secret_key = key
    if old:
        app.config["SECRET_KEY_FALLBACKS"] = [old]
    app.config["WTF_CSRF_SECRET_KEY"] = accepted(app)


def accepted(app: Flask | None = None) -> list[str]:
    """Return the keys of an application for itsdangerous, which signs with the last one."""
    of = app or current_app
    return [*(of.config.get("SECRET_KEY_FALLBACKS") or ()), str(of.secret_key)]
