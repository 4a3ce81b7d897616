"""Stores results into a made-up arena for as long as it lives, as busy workers would.

python -m arena.bench.busy MATCHES_PER_SECOND, with the database in ARENA_DATABASE_URL

Each portion is a transaction of its own. The matches are of a tournament that is begun for them.
"""

from __future__ import annotations

import sys
import time
from itertools import count

from arena.bench.made_arena import SEATS, MadeUp, begin, made_up_of, results
from arena.bootstrap import load_settings
from arena.store import Store, bots, open_store
from arena.store.results import save_results
from arena.store.tournaments import Tournament

PORTION_S = 1.0  # workers store so often, about


def write(url: str, per_second: float) -> None:
    """Until it is killed."""
    store = open_store(url)
    with store.read() as conn:
        names = [bot.name for bot in bots.all_bots(conn)]
    made_up = made_up_of(len(names), seed=int(time.time()))
    deals = max(1, round(per_second * PORTION_S / SEATS))
    tournament = begin(store, names, "Written meanwhile", 1_000_000, time.time())
    for portion in count():
        due = time.monotonic() + PORTION_S
        stored_portion(store, tournament, made_up, deals, portion)
        time.sleep(max(0.0, due - time.monotonic()))


def stored_portion(
    store: Store, tournament: Tournament, made_up: MadeUp, deals: int, portion: int
) -> int:
    """Stores the next so many deals; says how many matches that were."""
    which = range(portion * deals, (portion + 1) * deals)
    with store.write() as conn:
        return save_results(conn, results(tournament, made_up, which, time.time(), 0.0))


if __name__ == "__main__":
    write(load_settings().database, float(sys.argv[1]))
