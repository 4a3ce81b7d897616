"""Stores results in a synthetic arena, as busy workers do, until it is killed.

python -m tests.lab.bench.busy MATCHES_PER_SECOND, with the database in ARENA_DATABASE_URL

The matches belong to a tournament created for them; each portion is one transaction.
"""

import sys
import time
from itertools import count

from arena.service.bootstrap import load_settings
from arena.store import Store, open_store
from arena.store.registry import bots
from arena.store.save import save_results
from arena.store.tournaments.tournaments import Tournament
from tests.lab.bench.synthetic_arena import SEATS, Population, begin, population_of, results

PORTION_S = 1.0  # about how often workers store results


def write(url: str, per_second: float) -> None:
    """Stores `per_second` results a second until the process is killed."""
    store = open_store(url)
    with store.read() as conn:
        names = [bot.name for bot in bots.all_bots(conn)]
    population = population_of(len(names), seed=int(time.time()))
    deals = max(1, round(per_second * PORTION_S / SEATS))
    tournament = begin(store, names, "Written meanwhile", 1_000_000, time.time())
    for portion in count():
        due = time.monotonic() + PORTION_S
        stored_portion(store, tournament, population, deals, portion)
        time.sleep(max(0.0, due - time.monotonic()))


def stored_portion(
    store: Store, tournament: Tournament, population: Population, deals: int, portion: int
) -> int:
    """Stores portion number `portion`, of `deals` deals; returns how many matches that was."""
    which = range(portion * deals, (portion + 1) * deals)
    with store.write() as conn:
        return save_results(conn, results(tournament, population, which, time.time(), 0.0))


if __name__ == "__main__":
    write(load_settings().database, float(sys.argv[1]))
