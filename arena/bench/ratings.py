"""Measures what ratings cost with very many matches: synthetic results in a real SQLite store."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from arena.bench.steps import Step, timed_step
from arena.bench.synthetic_arena import save
from arena.bench.synthetic_matches import GAME, SEATS, entered, fill, results
from arena.store import Store, rebuild, upgrade_store
from arena.store.matches import complete_deals
from arena.store.projections import PROJECTIONS, Change, deal_sums
from arena.store.projections.deal_sums import DealSumsProjection
from arena.store.save import MatchResult
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.ratings.bradley_terry import fit
from arena.tournaments.ratings.residuals import residuals

BATCH = 500
BATCHES = 20  # stored to measure what one costs


@dataclass(frozen=True)
class RatingTimes:
    """All steps, the number of compositions, and the size of the database in bytes."""

    steps: tuple[Step, ...]
    compositions: int
    database: int


def measure(count: int, players: int, tell: Callable[[str], None], seed: int = 1) -> RatingTimes:
    """Stores about `count` four-seat matches, then rates them in every way."""
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        file = Path(folder) / "arena.db"
        store = upgrade_store(f"sqlite:///{file}")
        try:
            return _measured(store, file, count // SEATS, players, tell, random.Random(seed))
        finally:
            store.dispose()


def _measured(
    store: Store,
    file: Path,
    count: int,
    players: int,
    tell: Callable[[str], None],
    rng: random.Random,
) -> RatingTimes:
    steps: list[Step] = []

    def timed(what: str, times: int, work: Callable[[], object]) -> None:
        tell(what)
        steps.append(timed_step(what, work, times))

    old, new = entered(store, players), entered(store, players)
    tell(f"storing {count * SEATS:,} synthetic matches")
    with store.write() as conn:
        fill(conn, old, count, rng)
    for projection in PROJECTIONS:
        with store.write() as conn:
            timed(f"rebuilding {projection.name}", 1, partial(projection.rebuild, conn, GAME))
    with store.read() as conn:
        timed("everything compared", 1, lambda: rebuild.compare(conn, GAME))
    with store.read() as conn:
        timed("reading the sums", 1, lambda: deal_sums.groups(conn, GAME, SEATS))
        groups = deal_sums.groups(conn, GAME, SEATS)
    timed("refit: ratings, errors, ranks", 1, lambda: fit(groups).rank_ranges())
    table = fit(groups)
    timed("residuals of all pairs", 1, lambda: residuals(table, groups))
    batches = list(_batches(new, rng))
    timed(f"storing a batch of {BATCH} results", len(batches), lambda: _store(store, batches))
    timed("of it, its sums over deals", len(batches), lambda: _count(store, batches))
    compositions = sum(len(group.deals) for group in groups)
    return RatingTimes(tuple(steps), compositions, file.stat().st_size)


def _batches(tournament: Tournament, rng: random.Random) -> Iterator[list[MatchResult]]:
    simulated = list(results(tournament, BATCH * BATCHES // SEATS, rng))
    for first in range(0, len(simulated), BATCH):
        yield simulated[first : first + BATCH]


def _store(store: Store, batches: list[list[MatchResult]]) -> None:
    for batch in batches:
        save(store, batch)


def _count(store: Store, batches: list[list[MatchResult]]) -> None:
    """Counts the deals of these batches a second time; the sums are no longer used."""
    for batch in batches:
        with store.write() as conn:
            change = Change(batch[0].tournament, GAME, {one.position: one for one in batch})
            change.deals = complete_deals.newly_complete(
                conn, change.tournament, change.results, change.columns
            )
            DealSumsProjection().apply(conn, change)
