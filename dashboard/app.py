"""Creates the Flask application."""

import secrets

import redis
from flask import Flask

from arena.base.config import Settings
from arena.store import Store
from arena.store.registry import passwords
from dashboard import assets, keys, layout
from dashboard.account import guard, providers, session
from dashboard.account.rights import acting
from dashboard.events import topics
from dashboard.matches import shown
from dashboard.new_app import new_app
from dashboard.outage import view as outage
from dashboard.pages import PAGES
from dashboard.sources import Sources
from dashboard.system import errors, headers


def create_app(settings: Settings, store: Store, client: redis.Redis | None) -> Flask:
    """Return the dashboard of the arena in this store.

    `client` is a Redis client, which may be unreachable, or None if the arena is not running. Then
    the pages show that connections are unknown.
    """
    app = new_app()
    app.extensions["arena"] = Sources(settings, store, client, acting)
    shown.register(app, shown.ShownMatches())
    topics.register(app)
    # `dashboard.serve` sets the stored key if the settings have none.
    keys.register(app, settings.secret_key or secrets.token_urlsafe(32), settings.secret_key_old)
    session.register(app)
    providers.register(app, settings)
    assets.register(app)
    layout.register(app)
    sends_mail = bool(settings.smtp_url)
    app.jinja_env.globals.update(sends_mail=sends_mail, passwords=passwords)
    headers.register(app)
    errors.register(app)
    outage.register(app)
    for page in PAGES:
        app.register_blueprint(page)
    guard.register(app, settings, client)
    return app
