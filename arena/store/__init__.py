"""The database: bots, tournaments, results, ratings. One set of queries for SQLite and PostgreSQL.

`open_store(url)` returns a `Store`; its `read()` and `write()` give a connection, the first
argument of most functions here. `upgrade_store(url)` creates or upgrades the schema first.

    registry     accounts, bots, hosts, submissions, process runs, e-mails, webhooks
    tournaments  tournaments, their entrants and batches
    save         the only way to store finished matches
    matches      finished matches
    projections  everything computed from matches: standings, Elo, sums for ratings
    reports      results for pages and exports
    reviews      reviews of matches
    archive      files with older matches; archiving moves months there and back
    backup       a whole database in a file
    tables       the schema; migrate and migrations/ create and upgrade it
    schema       its version, checked by every writer
"""

import arena.base.blas_threads  # noqa: F401  before NumPy
from arena.store.engine import Store
from arena.store.opening import open_store, upgrade_store

__all__ = ["Store", "open_store", "upgrade_store"]
