"""The tasks: thin shells around `advance` and `batch`, one place for this process's connections.

An error in one tournament or one batch must not affect others: it is logged and noted, and the
work is retried.
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

from arena import gc_tuning
from arena.config import Settings
from arena.errors import SchemaMismatch, Unavailable
from arena.live import incidents
from arena.live.connect import connect
from arena.live.vitals import swept
from arena.store import Store, open_store
from arena.store.registry import bots
from arena.store.tournaments import batches, tournaments
from arena.store.tournaments.tournaments import Kind
from workers import lease, metrics, progress, shutdown
from workers.advance import advance as advance_tournament
from workers.app import PLAY_QUEUE, PROMPT_QUEUE, app
from workers.batch import BatchRun, RunContext
from workers.lease import Lease
from workers.schedule import Limits, Outcome

log = structlog.get_logger()

# What is raised where Redis or the broker, which is the same, is away.
AWAY = (redis.RedisError, kombu.exceptions.OperationalError)

worker_process_init.connect(lambda **_: gc_tuning.tune(), weak=False)


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
def outages_logged() -> Iterator[None]:
    """Logs an outage of the database or Redis without a traceback. A worker of another release
    than the database shuts down; a supervisor starts it again from the code installed then."""
    try:
        yield
    except SchemaMismatch as error:
        log.error("this worker shuts down", error=str(error))  # noqa: TRY400  # no traceback needed
        shutdown.note_outdated()
    except (Unavailable, *AWAY) as error:
        log.warning("task failed, it will be retried", error=str(error))
        metrics.away("database" if isinstance(error, Unavailable) else "redis")


@app.task(name="arena.advance")
def advance(tournament: int) -> None:
    """Advances a tournament and sends its next batches to the workers."""
    with outages_logged():
        hand_out(tournament)


def hand_out(tournament: int) -> None:
    """Does what is due and sends the batches that nobody holds."""
    numbers = advance_tournament(store(), client(), tournament)
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
    with outages_logged():
        claim = Lease(client(), tournament, number, str(self.request.id))
        if claim.take():
            play_claimed(tournament, number, claim)


def play_claimed(tournament: int, number: int, claim: Lease) -> None:
    """Plays a batch that this task holds; whatever happens, it does not keep it."""
    run: BatchRun | None = None
    try:
        run = prepare(tournament, number, claim)
        if run is None:
            claim.release()
        else:
            play_out(run, tournament, number)
    except BaseException as error:
        give_back(list(run.leases.values()) if run else [claim], tournament, error)
        raise


def play_out(run: BatchRun, tournament: int, number: int) -> None:
    """Plays until all is done or time is up."""
    logger = log.bind(tournament=tournament, batch=number)
    outcome = run.play()
    if outcome is Outcome.DONE:
        logger.info("batch done")
    elif outcome is Outcome.LEASE_LOST:
        logger.warning("batch taken over by another run")
        run.release()
    elif outcome is Outcome.SUSPENDED or not run.wait_for_people():
        logger.info("batch suspended")
        run.release()
        send_advance(tournament)


def give_back(leases: Sequence[Lease], tournament: int, error: BaseException) -> None:
    """Gives up the leases of a run that ended in an error, and has the batches handed out again:
    at once, or after a while those that failed before."""
    metrics.retried(len(leases))
    try:
        if isinstance(error, SchemaMismatch):  # it is not the fault of the batches
            for each in leases:
                each.release()
            return
        at_once = [each.fail() for each in leases]
        passes = isinstance(error, (Unavailable, *AWAY))
        if isinstance(error, Exception) and not passes and not all(at_once):
            incidents.note(client(), tournament, error, incidents.PLAYING_S)
        if any(at_once):
            send_advance(tournament)
    except AWAY as away:
        log.warning("batches wait until their leases expire", error=str(away))


def send_advance(tournament: int) -> None:
    """Has a tournament advanced soon."""
    advance.apply_async(args=(tournament,))


def prepare(tournament_id: int, number: int, claim: Lease) -> BatchRun | None:
    """The run of a batch; None if there is nothing to play."""
    with store().read() as conn:
        tournament = tournaments.get(conn, tournament_id)
        batch = batches.get_batch(conn, tournament_id, number)
        players = bots.by_players(conn, tournament.players)
    if tournament.state != "running" or batch.done:
        return None
    context = RunContext(
        store=store(),
        client=client(),
        limits=Limits(settings().window, settings().slice_s, settings().grace_s),
        stop_requested=shutdown.requested,
        advance=send_advance,
        progress=partial(progress.mark, claim.holder.decode()),
    )
    return BatchRun(context, tournament, batch, players, claim)


@app.task(name="arena.sweep")
def sweep() -> None:
    """Advances all tournaments under way: those waiting for bots, those whose batch got lost."""
    with outages_logged():
        with store().read() as conn:
            under_way = tournaments.under_way(conn)
        for tournament, kind in under_way.items():
            advance_safely(tournament, kind)
        swept(client())


def advance_safely(tournament: int, kind: Kind) -> None:
    """Advances one tournament; an error in it does not stop the others.

    Raises on an outage of Redis or of the database as a whole.
    """
    try:
        # A table has nothing but its one batch.
        if kind != "table" or not lease.is_taken(client(), tournament, 0):
            hand_out(tournament)
    except (SchemaMismatch, *AWAY):
        raise
    except Unavailable as error:
        log.warning("tournament cannot be advanced", tournament=tournament, error=str(error))
        with store().read():  # raises if the whole database is away
            pass
    except Exception as error:
        if incidents.note(client(), tournament, error, incidents.PLANNING_S):
            log.exception("tournament is stuck", tournament=tournament)
