"""The Flask dashboard: what the arena knows, as pages for people and as JSON under /api.

One folder per page: `view.py` (routes), a template, and `queries.py` where the store has no
query for it. A page is made known by a line in `pages.py`.

    app       puts it together         sources   the database and Redis, for the views
    serve     runs it under Waitress   layout/   what pages share: frame, parts, numbers, cards
    static/   stylesheet, script, llama; vendor/ holds what is not ours

Pages are read by GET and change nothing. They work without JavaScript; with it, parts marked
by `hx-get` fetch themselves anew while something is going on.
"""

from dashboard.app import create_app
from dashboard.serve import serve

__all__ = ["create_app", "serve"]
