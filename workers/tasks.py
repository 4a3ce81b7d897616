"""The tasks: thin shells around `advance` and `batch`, one place for this process's connections.

What goes wrong with one tournament or one batch is not to be a matter of others: it is logged and
noted, and the work is there for the next who tries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from typing import Any

import kombu.exceptions
import redis
import structlog
from celery import Task
from celery.signals import worker_process_init

from arena import garbage
from arena.config import Settings
from arena.errors import SchemaMismatch, Unavailable
from arena.live import troubles
from arena.live.connect import connect
from arena.live.vitals import swept
from arena.store import Store, batches, bots, open_store, tournaments
from arena.store.tournaments import Kind
from workers import lease, progress, stopping
from workers.advance import advance as take_forward
from workers.app import PLAY_QUEUE, PROMPT_QUEUE, app
from workers.batch import BatchRun, Overtaken, Room
from workers.lease import Lease

log = structlog.get_logger()

# What is raised where Redis or the broker, which is the same, is away.
AWAY = (redis.RedisError, kombu.exceptions.OperationalError)

worker_process_init.connect(lambda **_: garbage.settle(), weak=False)


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process."""
    return Settings()


@lru_cache(maxsize=1)
def store() -> Store:
    """The store of this process; opened after the fork."""
    return open_store(settings().database)


@lru_cache(maxsize=1)
def client() -> redis.Redis:
    """The Redis connection of this process; opened after the fork."""
    return connect(settings().redis_url)


@contextmanager
def in_a_sentence() -> Iterator[None]:
    """What is the matter with the database or Redis needs no traceback. A worker of another
    release than the database ends; a supervisor starts it from the code that is there then."""
    try:
        yield
    except SchemaMismatch as error:
        log.error("this worker must not go on and ends", error=str(error))  # noqa: TRY400  # all is said
        stopping.note_outdated()
    except (Unavailable, *AWAY) as error:
        log.warning("a task cannot be done now", error=str(error))


@app.task(name="arena.advance")
def advance(tournament: int) -> None:
    """Takes a tournament forward and sends its next batches to the workers."""
    with in_a_sentence():
        hand_out(tournament)


def hand_out(tournament: int) -> None:
    """Does what is due and sends those batches that nobody has."""
    numbers = take_forward(store(), client(), tournament)
    if not numbers:
        return
    with store().read() as conn:
        rated = tournaments.get(conn, tournament).kind == "tournament"
    for number in numbers:
        if lease.queue(client(), tournament, number):
            send(tournament, number, PLAY_QUEUE if rated else PROMPT_QUEUE)


def send(tournament: int, number: int, queue: str) -> None:
    """Sends a batch that is marked as queued; the mark goes if that fails."""
    try:
        play.apply_async(args=(tournament, number), queue=queue)
    except Exception:
        with suppress(redis.RedisError):
            lease.unqueue(client(), tournament, number)
        raise


@app.task(name="arena.play", bind=True)
def play(self: Task[Any, Any], tournament: int, number: int) -> None:
    """Plays a batch, or as much of it as the slice of time allows."""
    with in_a_sentence():
        claim = Lease(client(), tournament, number, str(self.request.id))
        if claim.take():
            play_claimed(tournament, number, claim)


def play_claimed(tournament: int, number: int, claim: Lease) -> None:
    """Plays a batch that this task holds; whatever happens, it does not keep it."""
    claims = [claim]
    try:
        run = prepare(tournament, number, claim)
        if run is None:
            claim.release()
            return
        claims = run.claims
        play_out(run, tournament, number)
    except BaseException as error:
        give_back(claims, tournament, error)
        raise


def play_out(run: BatchRun, tournament: int, number: int) -> None:
    """Plays until all is done or time is up."""
    said = log.bind(tournament=tournament, batch=number)
    try:
        done = run.play()
    except Overtaken:
        said.warning("batch overtaken by another run")
        run.release()
        return
    if done:
        said.info("batch done")
    elif not run.waits_for_people():
        said.info("batch put aside")
        run.release()
        send_advance(tournament)


def give_back(claims: Sequence[Lease], tournament: int, error: BaseException) -> None:
    """Gives up the claims of a run that ended in an error, and has the batches handed out again:
    at once, or those that failed before after a while."""
    try:
        if isinstance(error, SchemaMismatch):  # it is not the fault of the batches
            for claim in claims:
                claim.release()
            return
        at_once = [claim.fail() for claim in claims]
        passes = isinstance(error, (Unavailable, *AWAY))
        if isinstance(error, Exception) and not passes and not all(at_once):
            troubles.note(client(), tournament, error, troubles.PLAYING_S)
        if any(at_once):
            send_advance(tournament)
    except AWAY as away:
        log.warning("batches wait until their leases expire", error=str(away))


def send_advance(tournament: int) -> None:
    """Has a tournament taken forward soon."""
    advance.apply_async(args=(tournament,))


def prepare(tournament_id: int, number: int, claim: Lease) -> BatchRun | None:
    """The run of a batch; None if there is nothing to play."""
    with store().read() as conn:
        tournament = tournaments.get(conn, tournament_id)
        batch = batches.get_batch(conn, tournament_id, number)
        players = bots.by_players(conn, tournament.players)
    if tournament.state != "running" or batch.done:
        return None
    room = Room(
        store=store(),
        client=client(),
        window=settings().window,
        slice_s=settings().slice_s,
        grace_s=settings().grace_s,
        stopping=stopping.asked,
        advance=send_advance,
        moved=partial(progress.mark, claim.holder.decode()),
    )
    return BatchRun(room, tournament, batch, players, claim)


@app.task(name="arena.sweep")
def sweep() -> None:
    """Takes all tournaments under way forward: who waits for bots, whose batch got lost."""
    with in_a_sentence():
        with store().read() as conn:
            under_way = tournaments.under_way(conn)
        for tournament, kind in under_way.items():
            look_after(tournament, kind)
        swept(client())


def look_after(tournament: int, kind: Kind) -> None:
    """Takes one tournament forward; what is wrong with it stops no other.

    Raises what is the matter with Redis or with the database as a whole.
    """
    try:
        # Of a table there is nothing to do but its one batch.
        if kind != "table" or not lease.is_taken(client(), tournament, 0):
            hand_out(tournament)
    except (SchemaMismatch, *AWAY):
        raise
    except Unavailable as error:
        log.warning("tournament cannot be looked after", tournament=tournament, error=str(error))
        with store().read():  # raises if nobody can use the database
            pass
    except Exception as error:
        if troubles.note(client(), tournament, error, troubles.PLANNING_S):
            log.exception("tournament cannot go on", tournament=tournament)
