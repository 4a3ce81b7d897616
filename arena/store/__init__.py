"""The database: bots, tournaments, results, ratings. SQLite or PostgreSQL, one set of queries.

`open_store(url)` gives a `Store`, whose `read()` and `write()` give a connection; the
functions of the other files take that connection first. `upgrade_store(url)` makes the schema or
brings it up to date before.

    bots         who may connect                   tournaments  what is played, how far it is
    batches      its matches, in portions          results      the one way in for a finished match
    matches      finished matches                  standings    a tournament's table
    faults       what bots did wrong               ratings      Elo tables and their history
    accounts     who may sign in                   passwords    what is kept of theirs
    sessions     where they are signed in          unread       a new token until it is shown
    audit_log    who changed what                  runs         what became of bots' processes
    names        which names are reserved          tables       the schema; migrations/ makes it
    schema       its version, checked by who writes
"""

import arena.base.blas_threads  # noqa: F401  before NumPy
from arena.store.engine import Store
from arena.store.opening import open_store, upgrade_store

__all__ = ["Store", "open_store", "upgrade_store"]
