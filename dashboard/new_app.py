"""A Flask application with the settings that all pages expect, and without any page."""

from __future__ import annotations

from flask import Flask
from werkzeug.routing import BaseConverter

from dashboard.urls import CONVERTERS


def new_app(**converters: type[BaseConverter]) -> Flask:
    """A new one; `converters` take the places of those of `dashboard.urls` with their names."""
    # Templates stand beside the views that use them.
    app = Flask("dashboard", template_folder=".", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # it would redirect to whatever host is asked for
    app.url_map.converters.update(CONVERTERS | converters)
    return app
