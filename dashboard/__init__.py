"""The Flask dashboard: pages, and JSON under /api.

Each page has a folder with `view.py` (routes) and templates. A line in `pages.py` registers it.

    app       creates the application     sources   the database and Redis, for the views
    serve     runs it under Waitress      layout/   shared parts: frame, numbers, cards, charts
    static/   stylesheets and scripts; vendor/ has third-party files

GET requests change nothing. Pages work without JavaScript; with it, fragments with `hx-get` fetch
their updates.
"""

from dashboard.app import create_app
from dashboard.serve import serve

__all__ = ["create_app", "serve"]
