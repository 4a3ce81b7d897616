"""Advances a tournament: starts it, plans its next batches, finishes it.

Advancing is idempotent: it locks the tournament's row and only depends on stored data. Transactions
never wait for Redis, which is read before and written after them. Tasks are sent after the commit.
If a task is lost, the sweep sends another.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise

import redis
from sqlalchemy import Connection

from arena.base import instant
from arena.base.errors import InvalidRequest
from arena.service import forecast as forecasts
from arena.service.live import first_forecasts, presence
from arena.service.live.presence import mark_gone
from arena.store import Store
from arena.store.engine import HURRIED
from arena.store.registry.mail import outbox
from arena.store.registry.webhooks import deliveries
from arena.store.reports import people
from arena.store.tournaments import (
    batches,
    bench,
    creation,
    format_state,
    hosted,
    series,
    sign_up,
    tournaments,
)
from arena.store.tournaments.format_state import FormatState
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import PlannedMatch, TournamentSpec, format_of
from workers.advancing.beginning import absentees, begins
from workers.analysis.luck import calculate, catch_up_with

BLOCK_BATCHES = 4  # the most batches per block of the format's plan
# The most matches in a batch. Batches need not be large, because a run claims more while its window
# has room, and the workers share the last small ones more evenly.
BATCH = 256
LEAST_BATCH = 4  # smaller batches would cost more to queue than to play
OPEN_BATCHES = 32  # planned ahead


def advance(
    store: Store,
    client: redis.Redis,
    tournament_id: int,
    bench_after: int = bench.BENCH_AFTER,
    *,
    webhooks: bool = True,
) -> list[int]:
    """Advances a tournament. Returns the numbers of its open batches, so that the caller queues
    those that are not played. Bots are benched after `bench_after` forfeits in a row. Without
    `webhooks` no deliveries are created."""
    with store.read() as conn:
        seen = tournaments.get(conn, tournament_id)
    if sign_up_ends(seen, instant.now()):
        seen = close_sign_up(store, seen, bench_after)
    if seen.state == "waiting" and not start_if_ready(store, client, seen):
        return []
    ahead = plan_ahead(store, tournament_id)
    with store.write(HURRIED) as conn:
        tournament = tournaments.lock(conn, tournament_id)
        if tournament.state != "running":
            return []
        waiting = plan(conn, tournament, ahead)
        if not waiting:
            tournaments.end(conn, tournament)
            if tournament.kind == "table":
                people.note_played(conn, tournament)
            outbox.add_finished(conn, tournament_id, instant.now())
            if webhooks:
                deliveries.add_finished(conn, tournament_id, instant.now())
    return waiting


# Starting


def sign_up_ends(tournament: Tournament, now: float) -> bool:
    """Whether a tournament is open for sign-up and has to start at `now` (Unix seconds)."""
    waits = tournament.state == "waiting" and tournament.sign_up is not None
    return waits and not tournament.scheduled(now)


def close_sign_up(store: Store, seen: Tournament, bench_after: int) -> Tournament:
    """Ends the sign-up of a tournament, unless another process has. Returns the tournament, which
    then waits for its bots, or is cancelled because there are too few."""
    _count_ahead(store, seen, bench_after)
    with store.write(HURRIED) as conn:
        tournament, now = tournaments.lock(conn, seen.id), instant.now()
        if sign_up_ends(tournament, now):
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


def start_if_ready(store: Store, client: redis.Redis, seen: Tournament) -> bool:
    """Starts a waiting tournament if all bots are connected or the start grace is over. Returns
    whether it started."""
    connected = presence.present(client, seen.players)
    with store.write(HURRIED) as conn:
        tournament = tournaments.lock(conn, seen.id)
        if tournament.state != "waiting" or tournament.players != seen.players:
            return False  # it changed meanwhile; the next sweep checks again
        absent = absentees(tournament, connected, hosted.among(conn, seen.players))
        state, note = begins(tournament, absent, instant.now())
        tournaments.set_state(conn, tournament.id, state, note=note, now=instant.now())
    if state == "running":
        for player in absent.programs:
            mark_gone(client, player)
    return state == "running"


def due(store: Store, client: redis.Redis, waiting: Sequence[int]) -> list[int]:
    """The waiting tournaments that can start now or whose note changes, and those that cannot be
    read, so that advancing them reports the error."""
    if not waiting:
        return []
    with store.read() as conn:
        readable, broken = tournaments.readable(conn, waiting)
        players = {player for each in readable for player in each.players}
        by_hosts = hosted.among(conn, players)
    connected, now = presence.present(client, players), instant.now()
    changed = [
        each.id
        for each in readable
        if sign_up_ends(each, now)
        or begins(each, absentees(each, connected, by_hosts), now) != (each.state, each.note)
    ]
    return sorted([*changed, *broken])


def keep_forecast(store: Store, client: redis.Redis, tournament: int, in_flight: int) -> None:
    """Stores the forecast of a running tournament without stored matches, once. Raises RedisError
    and Unavailable."""
    if first_forecasts.recall(client, tournament) is not None:
        return
    with store.read() as conn:
        item = tournaments.get(conn, tournament)
        if item.state != "running" or item.played or item.kind == "table":
            return
        facts = forecasts.measured(conn, item.spec, item.players)
    plan, here = forecasts.schedule(item.spec, item.planned), forecasts.seen(client, facts.players)
    estimate = forecasts.forecast(plan, facts, here, in_flight)
    first_forecasts.note(client, tournament, estimate.seconds)


# Planning


@dataclass(frozen=True, slots=True)
class NextBlock:
    """The matches of the block that follows `blocks` finished ones."""

    spec: TournamentSpec
    blocks: int
    matches: tuple[PlannedMatch, ...]


def plan_ahead(store: Store, tournament_id: int) -> NextBlock | None:
    """Does slow computations before taking a lock: balanced tables, which are cached, and a block
    that follows from results."""
    with store.read() as conn:
        tournament = tournaments.get(conn, tournament_id)
        due = tournament.state == "running" and not batches.open_numbers(conn, tournament_id)
    if due and format_of(tournament.spec.format).takes_luck_out(tournament.spec):
        # The next block depends on it. This takes a few milliseconds per match.
        catch_up_with(store, calculate, tournament_id)
    with store.read() as conn:
        known = format_state.folded(conn, tournament) if due else None
    format_ = format_of(tournament.spec.format)
    format_.count(tournament.spec)
    return next_block(tournament, known) if known and format_.needs_results else None


def next_block(tournament: Tournament, known: FormatState) -> NextBlock:
    """The block that follows from the results of all earlier ones."""
    format_, spec = format_of(tournament.spec.format), tournament.spec
    return NextBlock(spec, known.blocks, format_.block(spec, known.blocks, known.so_far))


def plan(conn: Connection, tournament: Tournament, ahead: NextBlock | None) -> list[int]:
    """Plans batches ahead. Returns the numbers of all open batches."""
    waiting = batches.open_numbers(conn, tournament.id)
    format_, spec = format_of(tournament.spec.format), tournament.spec
    number = batches.next_number(conn, tournament.id)
    if format_.needs_results:
        return waiting or plan_from_results(conn, tournament, number, ahead)
    block = -(-number // BLOCK_BATCHES)  # batch numbers identify blocks
    while len(waiting) < OPEN_BATCHES and (matches := format_.block(spec, block)):
        pieces = cut_at_deals(cut(matches, format_.count(spec)))
        waiting += add(conn, tournament, block * BLOCK_BATCHES, pieces)
        block += 1
    return waiting


def plan_from_results(
    conn: Connection, tournament: Tournament, number: int, ahead: NextBlock | None
) -> list[int]:
    """Plans the block that follows from the results of all earlier ones, which are finished. Its
    batches are numbered from `number`. Uses `ahead` if that is the right block."""
    known = format_state.fold(conn, tournament)
    if ahead is None or (ahead.spec, ahead.blocks) != (tournament.spec, known.blocks):
        ahead = next_block(tournament, known)
    # The next block waits for this one, so it is shared among all workers.
    pieces = cut(ahead.matches, len(ahead.matches))
    return add(conn, tournament, number, pieces)


def add(
    conn: Connection, tournament: Tournament, first: int, pieces: Sequence[tuple[PlannedMatch, ...]]
) -> list[int]:
    """Stores batches, numbered from `first`. Returns their numbers."""
    numbers = list(range(first, first + len(pieces)))
    for number, piece in zip(numbers, pieces, strict=True):
        batches.add_batch(conn, tournament.id, number, piece)
    return numbers


def batch_size(planned: int) -> int:
    """The most matches in a batch of a tournament with `planned` matches."""
    return min(BATCH, max(LEAST_BATCH, -(-planned // BLOCK_BATCHES)))


def cut(matches: tuple[PlannedMatch, ...], planned: int) -> list[tuple[PlannedMatch, ...]]:
    """Cuts a block into batches of equal size, in order. Even a small tournament has up to
    `BLOCK_BATCHES` of them."""
    if not matches:
        return []
    pieces = -(-len(matches) // batch_size(planned))
    bounds = [len(matches) * piece // pieces for piece in range(pieces + 1)]
    return [matches[low:high] for low, high in pairwise(bounds)]


def cut_at_deals(pieces: Sequence[tuple[PlannedMatch, ...]]) -> list[tuple[PlannedMatch, ...]]:
    """Joins batches that share a deal, so that a run can cancel whole deals when an entrant is
    withdrawn."""
    last = {match.deal: match.position for piece in pieces for match in piece}
    whole: list[tuple[PlannedMatch, ...]] = []
    begun: tuple[PlannedMatch, ...] = ()
    for piece in pieces:
        begun += piece
        if max(last[match.deal] for match in begun) == piece[-1].position:
            whole.append(begun)
            begun = ()
    return whole
