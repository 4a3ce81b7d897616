"""Advances a tournament: starts it, plans its next batches, finishes it.

Idempotent: however often it is called, the tournament's row is locked and what happens follows from
what is stored. Redis is read before and written after the transaction, never in it: a slow Redis
must not keep others from the database. Tasks are sent after the commit; the sweep finds a task that
got lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import redis
from sqlalchemy import Connection

from arena.base import instant
from arena.service.live import presence
from arena.service.live.absence import mark_gone
from arena.store import Store
from arena.store.engine import HURRIED
from arena.store.registry.mail import outbox
from arena.store.registry.webhooks import deliveries
from arena.store.tournaments import batches, bench, format_state, hosted, tournaments
from arena.store.tournaments.format_state import FormatState
from arena.store.tournaments.tournaments import Tournament
from arena.tournaments.formats import PlannedMatch, TournamentSpec, format_of
from workers.advancing import sign_up
from workers.advancing.beginning import absentees, begins
from workers.analysis.luck import catch_up_with
from workers.analysis.luck_model import calculate

BLOCK_BATCHES = 4  # at most so many batches are cut from one block of the format's plan
# Matches in a batch, at most. A run claims further batches while its window has room, so they need
# not be large; and the smaller they are, the more evenly the last ones are shared.
BATCH = 256
LEAST_BATCH = 4  # matches: less would cost more to hand out than to play
OPEN_BATCHES = 32  # planned ahead: enough for the workers


def advance(
    store: Store,
    client: redis.Redis,
    tournament_id: int,
    bench_after: int = bench.BENCH_AFTER,
    *,
    webhooks: bool = True,
) -> list[int]:
    """Does what is due. Returns the numbers of the batches that are not done, of which the caller
    hands out those that nobody plays. Bots are benched after so many forfeits in a row. Without
    `webhooks` nothing is queued for any."""
    with store.read() as conn:
        seen = tournaments.get(conn, tournament_id)
    if sign_up.ends(seen, instant.now()):
        seen = sign_up.close(store, seen, bench_after)
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
            outbox.add_finished(conn, tournament_id, instant.now())
            if webhooks:
                deliveries.add_finished(conn, tournament_id, instant.now())
    return waiting


# Starting


def start_if_ready(store: Store, client: redis.Redis, seen: Tournament) -> bool:
    """Starts a tournament that waited a moment ago, once all bots are connected or the start grace
    is over. Returns whether it started."""
    connected = presence.present(client, seen.players)
    with store.write(HURRIED) as conn:
        tournament = tournaments.lock(conn, seen.id)
        if tournament.state != "waiting" or tournament.players != seen.players:
            return False  # somebody was faster; the next sweep checks again
        absent = absentees(tournament, connected, hosted.among(conn, seen.players))
        state, note = begins(tournament, absent, instant.now())
        tournaments.set_state(conn, tournament.id, state, note=note, now=instant.now())
    if state == "running":
        for player in absent.programs:
            mark_gone(client, player)
    return state == "running"


def due(store: Store, client: redis.Redis, waiting: Sequence[int]) -> list[int]:
    """Those of these waiting tournaments that can begin now, or of which there is something new to
    say; and those that cannot be read, so that whoever advances them finds out."""
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
        if sign_up.ends(each, now)
        or begins(each, absentees(each, connected, by_hosts), now) != (each.state, each.note)
    ]
    return sorted([*changed, *broken])


# Planning


@dataclass(frozen=True, slots=True)
class NextBlock:
    """The matches of the block that follows on so many finished ones."""

    spec: TournamentSpec
    blocks: int
    matches: tuple[PlannedMatch, ...]


def plan_ahead(store: Store, tournament_id: int) -> NextBlock | None:
    """Computes what takes long before any lock is held: balanced tables, which this process then
    has cached, and a block that follows from results."""
    with store.read() as conn:
        tournament = tournaments.get(conn, tournament_id)
        due = tournament.state == "running" and not batches.open_numbers(conn, tournament_id)
    if due and format_of(tournament.spec.format).takes_luck_out(tournament.spec):
        # What is planned next follows from it: some milliseconds a match.
        catch_up_with(store, calculate, tournament_id)
    with store.read() as conn:
        known = format_state.folded(conn, tournament) if due else None
    format_ = format_of(tournament.spec.format)
    format_.count(tournament.spec)
    return next_block(tournament, known) if known and format_.needs_results else None


def next_block(tournament: Tournament, known: FormatState) -> NextBlock:
    """The block that follows from the results of all before it."""
    format_, spec = format_of(tournament.spec.format), tournament.spec
    return NextBlock(spec, known.blocks, format_.block(spec, known.blocks, known.so_far))


def plan(conn: Connection, tournament: Tournament, ahead: NextBlock | None) -> list[int]:
    """Plans ahead; returns the numbers of all batches that are not done."""
    waiting = batches.open_numbers(conn, tournament.id)
    format_, spec = format_of(tournament.spec.format), tournament.spec
    number = batches.next_number(conn, tournament.id)
    if format_.needs_results:
        return waiting or plan_from_results(conn, tournament, number, ahead)
    block = -(-number // BLOCK_BATCHES)  # the highest number tells the next block
    while len(waiting) < OPEN_BATCHES and (matches := format_.block(spec, block)):
        pieces = cut_at_deals(cut(matches, format_.count(spec)))
        waiting += add(conn, tournament, block * BLOCK_BATCHES, pieces)
        block += 1
    return waiting


def plan_from_results(
    conn: Connection, tournament: Tournament, number: int, ahead: NextBlock | None
) -> list[int]:
    """Plans the block that follows from the results of all before it, which are finished; its
    batches are numbered from `number`. `ahead` saves the work if it is still what is due."""
    known = format_state.fold(conn, tournament)
    if ahead is None or (ahead.spec, ahead.blocks) != (tournament.spec, known.blocks):
        ahead = next_block(tournament, known)
    # The next block has to wait for this one, so all workers get a share of it.
    pieces = cut(ahead.matches, len(ahead.matches))
    return add(conn, tournament, number, pieces)


def add(
    conn: Connection, tournament: Tournament, first: int, pieces: Sequence[tuple[PlannedMatch, ...]]
) -> list[int]:
    """Stores batches, numbered from `first`; returns their numbers."""
    numbers = list(range(first, first + len(pieces)))
    for number, piece in zip(numbers, pieces, strict=True):
        batches.add_batch(conn, tournament.id, number, piece)
    return numbers


def batch_size(planned: int) -> int:
    """Matches in a batch, at most."""
    return min(BATCH, max(LEAST_BATCH, -(-planned // BLOCK_BATCHES)))


def cut(matches: tuple[PlannedMatch, ...], planned: int) -> list[tuple[PlannedMatch, ...]]:
    """A block in batches of equal size, in order: a small tournament makes work for four."""
    if not matches:
        return []
    pieces = -(-len(matches) // batch_size(planned))
    bounds = [len(matches) * piece // pieces for piece in range(pieces + 1)]
    return [matches[low:high] for low, high in pairwise(bounds)]


def cut_at_deals(pieces: Sequence[tuple[PlannedMatch, ...]]) -> list[tuple[PlannedMatch, ...]]:
    """The same batches without those cuts on both sides of which there is the same deal, so that
    whoever plays a batch can cancel whole deals when an entrant is withdrawn."""
    last = {match.deal: match.position for piece in pieces for match in piece}
    whole: list[tuple[PlannedMatch, ...]] = []
    begun: tuple[PlannedMatch, ...] = ()
    for piece in pieces:
        begun += piece
        if max(last[match.deal] for match in begun) == piece[-1].position:
            whole.append(begun)
            begun = ()
    return whole
