"""Ends the sign-up of a tournament at its start time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from arena.base import instant
from arena.base.errors import InvalidRequest
from arena.store import Store
from arena.store.engine import HURRIED
from arena.store.tournaments import creation, series, sign_up, tournaments
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import format_of


def ends(tournament: Tournament, now: float) -> bool:
    """Whether a tournament is open for sign-up and has to start at `now` (Unix seconds)."""
    waits = tournament.state == "waiting" and tournament.sign_up is not None
    return waits and not tournament.scheduled(now)


def close(store: Store, seen: Tournament, bench_after: int) -> Tournament:
    """Ends the sign-up of a tournament, unless another process has. Returns the tournament, which
    then waits for its bots, or is cancelled because there are too few."""
    _count_ahead(store, seen, bench_after)
    with store.write(HURRIED) as conn:
        tournament, now = tournaments.lock(conn, seen.id), instant.now()
        if ends(tournament, now):
            series.follow(conn, tournament, now)
            sign_up.close(conn, tournament, bench_after, now)
        return tournaments.get(conn, seen.id)


def _count_ahead(store: Store, seen: Tournament, bench_after: int) -> None:
    """Computes and caches balanced tables before taking a lock, because that may take long."""
    with store.read() as conn:
        ready = sign_up.ready(conn, seen, bench_after)
        spec = replace(seen.spec, bots=tuple(ready))
        spec, _ = creation.arranged(conn, spec, list(ready.values()))
    with suppress(InvalidRequest):  # raised again when the sign-up is closed
        format_of(spec.format).count(sign_up.check_closed(spec))
