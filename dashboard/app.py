"""The Flask application, put together."""

from __future__ import annotations

import secrets

import redis
from flask import Flask

from arena.base.config import Settings
from arena.store import Store
from dashboard import assets, keys, layout
from dashboard.account import guard, providers, session
from dashboard.account.rights import acting
from dashboard.events import part
from dashboard.matches import shown
from dashboard.new_app import new_app
from dashboard.outage import view as outage
from dashboard.pages import PAGES
from dashboard.sources import Sources
from dashboard.system import errors, headers


def create_app(settings: Settings, store: Store, client: redis.Redis | None) -> Flask:
    """The dashboard of the arena in this store.

    `client` is a Redis that need not be reachable, or None for an arena that does not run:
    then nobody can tell which bots are connected, and the pages say so.
    """
    app = new_app()
    app.extensions["arena"] = Sources(settings, store, client, acting)
    shown.register(app, shown.FromStore())
    part.register(app)
    # Without a key in the settings `dashboard.serve` has taken the kept one.
    keys.register(app, settings.secret_key or secrets.token_urlsafe(32), settings.secret_key_old)
    session.register(app)
    providers.register(app, settings)
    assets.register(app)
    layout.register(app)
    headers.register(app)
    errors.register(app)
    outage.register(app)
    for page in PAGES:
        app.register_blueprint(page)
    guard.register(app, settings, client)
    return app
