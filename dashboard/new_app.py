"""Creates a Flask application with common settings, but without pages."""

from flask import Flask
from werkzeug.routing import BaseConverter

from dashboard.urls import CONVERTERS


def new_app(**converters: type[BaseConverter]) -> Flask:
    """Return a new application; `converters` replace those of `dashboard.urls` by name."""
    # Templates are next to their views.
    app = Flask("dashboard", template_folder=".", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False  # it would redirect to the host of the request
    app.url_map.converters.update(CONVERTERS | converters)
    return app
