"""The tasks: thin shells around `advance`, `sweep`, `shared_run` and `batch`, one place for this
process's connections.

An error in one tournament or one batch must not affect others: it is logged and noted, and the
work is retried.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from typing import Any

import redis
import structlog
from celery import Task, current_task
from celery.signals import worker_process_init, worker_process_shutdown
from redis.exceptions import LockError

from arena.base import gc_tuning, instant, tracing
from arena.base.config import Settings
from arena.base.errors import SchemaMismatch, Unavailable
from arena.service.live import incidents, keys, ready
from arena.service.live.connect import connect, place
from arena.service.live.presence import present
from arena.service.live.redis_error import explain
from arena.store import Store, open_store
from arena.store.luck import look_again
from arena.store.reviews import requests
from arena.store.reviews.requests import ReviewLimits
from arena.store.tournaments import batches, hosted, tournaments
from arena.store.tournaments.tournaments import Tournament
from workers.advancing import advance as advancing
from workers.advancing.first_forecast import keep_forecast
from workers.advancing.sweep import Sweep
from workers.analysis.luck import catch_up
from workers.analysis.luck_model import calculate
from workers.analysis.review import review_next
from workers.playing import lease
from workers.playing.batch import BatchRun, RunContext, begin
from workers.playing.lease import Lease
from workers.playing.shared_run import SharedRun
from workers.schedule import Limits, RunOutcome
from workers.setup import metrics, progress, shutdown
from workers.setup.app import LUCK_QUEUE, PLAY_QUEUE, PROMPT_QUEUE, REVIEW_QUEUE, app
from workers.setup.outages import AWAY

log = structlog.get_logger()

# Tasks that play what waits, in the queue at once: more processes than that are not free at once.
MOST_WAITING_TASKS = 64
# A task that advances a tournament and does not come within this time counts as lost.
ADVANCING_S = 30
# Reviews are made for so long by one task.
REVIEWING_S = 20

LUCK_SLICE_S = 1.0  # after which a worker that stops need not wait for it
LUCK_WAITS_S = 180  # for workers that have batches to play
LUCK_LOST_S = 60  # after which a process that calculated counts as dead

worker_process_init.connect(lambda **_: gc_tuning.tune(), weak=False)
worker_process_shutdown.connect(lambda **_: tracing.close(), weak=False)


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process."""
    return Settings()


@lru_cache(maxsize=1)
def store() -> Store:
    """The store of this process; opened after the fork."""
    return open_store(settings().database, archive=settings().archive_folder)


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
        database = isinstance(error, Unavailable)
        reason = str(error if database else explain(error, place(settings().redis_url)))
        log.warning("task failed, it will be retried", error=reason)
        metrics.away("database" if database else "redis")


# Advancing and handing out


@app.task(name="arena.advance")
def advance(tournament: int) -> None:
    """Advances a tournament and hands its next batches out."""
    with outages_logged():
        client().delete(keys.advancing(tournament))
        hand_out(tournament)


@app.task(name="arena.sweep")
def sweep() -> None:
    """Looks after all tournaments under way; see `workers.advancing.sweep`."""
    with outages_logged():
        Sweep(store(), client(), advance=hand_out, hand_out=send_batches).run()
        wake(ready.waiting(client()))
        wake_reviewer()
        if not client().llen(LUCK_QUEUE):  # without a worker for it, no more than one waits
            luck.apply_async(args=())


@app.task(name="arena.luck")
def luck() -> None:
    """Calculates the luck of matches for a moment, in one process at a time."""
    with outages_logged():
        alone = client().lock(keys.CALCULATING_LUCK, timeout=LUCK_LOST_S, blocking=False)
        if not alone.acquire():
            return
        try:
            look_again_once()
            # While batches wait for a worker, so does luck.
            wait = LUCK_WAITS_S if ready.waiting(client()) else 0
            until = time.monotonic() + LUCK_SLICE_S
            catch_up(store(), calculate, until, finished_by=instant.now() - wait)
        finally:
            with suppress(LockError):
                alone.release()


@lru_cache(maxsize=1)
def look_again_once() -> None:
    """This release may have a model where an earlier one had none."""
    with store().write() as conn:
        look_again(conn)


def hand_out(tournament: int) -> None:
    """Does what is due and hands out the batches that nobody holds."""
    after, webhooks = settings().bench_after, settings().webhooks_per_account > 0
    if numbers := advancing.advance(store(), client(), tournament, after, webhooks=webhooks):
        with suppress(Unavailable, *AWAY):  # a forecast must not keep bots from playing
            keep_forecast(store(), client(), tournament, settings().in_flight)
        send_batches(tournament, numbers)


def send_batches(tournament: int, numbers: Sequence[int]) -> None:
    """Has these batches wait for a worker, those that nobody has yet. Interactive ones get a task
    of their own, and so do those that failed before: their error must not become that of others."""
    with store().read() as conn:
        found = tournaments.get(conn, tournament)
    if found.state != "running":
        return
    rated = found.kind == "tournament"
    if not rated and not hosts_have(found):
        return  # the sweep looks again
    alone = lease.failed(client(), tournament, numbers) if rated else set(numbers)
    for number in sorted(alone):
        if lease.queue(client(), tournament, number):
            send(tournament, number, PLAY_QUEUE if rated else PROMPT_QUEUE)
    if shared := [number for number in numbers if number not in alone]:
        size = advancing.batch_size(found.planned)
        wake(ready.add(client(), tournament, shared, matches=size, weight=found.weight))


def hosts_have(found: Tournament) -> bool:
    """Whether all hosted players are connected: a match with a task of its own would keep a worker
    while it waits for a host."""
    with store().read() as conn:
        by_hosts = hosted.among(conn, found.players)
    return len(present(client(), by_hosts)) == len(by_hosts)


def send(tournament: int, number: int, queue: str) -> None:
    """Sends a batch that is marked as queued; the mark goes if that fails."""
    try:
        play.apply_async(args=(tournament, number), queue=queue)
    except Exception:
        with suppress(redis.RedisError):
            lease.unqueue(client(), tournament, number)
        raise


def wake(waiting: int) -> None:
    """Sends tasks that play what waits, so that no process is idle while batches wait."""
    missing = min(waiting, MOST_WAITING_TASKS) - client().llen(PLAY_QUEUE)
    for _ in range(missing):
        play.apply_async(args=(), queue=PLAY_QUEUE)


def wake_reviewer() -> None:
    """Sends a task if reviews wait and there is none: it was lost, or its worker was."""
    if client().llen(REVIEW_QUEUE):
        return
    with store().read() as conn:
        waiting = requests.waiting(conn, instant.now())
    if waiting:
        review.apply_async(args=(), queue=REVIEW_QUEUE)


def send_advance(tournament: int) -> None:
    """Has a tournament advanced soon; one task is enough, however many batches of it ended."""
    mark = keys.advancing(tournament)
    if client().set(mark, 1, nx=True, ex=ADVANCING_S):
        try:
            advance.apply_async(args=(tournament,))
        except Exception:
            with suppress(redis.RedisError):
                client().delete(mark)
            raise


# Reviewing


@app.task(name="arena.review", bind=True)
def review(self: Task[Any, Any]) -> None:
    """Makes reviews for as long as some wait, for at most a slice of time; what is left then has a
    task of its own, which the sweep sends."""
    with outages_logged():
        until = time.monotonic() + REVIEWING_S
        mark = partial(progress.mark, str(self.request.id))
        limits = ReviewLimits(kept=settings().reviews_kept)
        while review_next(store(), limits, mark):
            if shutdown.requested() or time.monotonic() > until:
                return


# Playing


@app.task(name="arena.play", bind=True)
def play(self: Task[Any, Any], tournament: int | None = None, number: int | None = None) -> None:
    """Plays what waits, or one batch that has a task of its own, for as long as a slice of time
    allows."""
    with outages_logged():
        holder = str(self.request.id)
        if tournament is None or number is None:
            SharedRun(context(holder), holder, give_back, put_back).play()
            return
        claim = Lease(client(), tournament, number, holder)
        if claim.take():
            play_claimed(tournament, number, claim)


def context(holder: str) -> RunContext:
    """What this process plays with."""
    return RunContext(
        store=store(),
        client=client(),
        limits=Limits(settings().window, settings().slice_s, settings().grace_s),
        stop_requested=shutdown.requested,
        advance=send_advance,
        progress=partial(progress.mark, holder),
        withdraw_after=settings().withdraw_after,
    )


def play_claimed(tournament: int, number: int, claim: Lease) -> None:
    """Plays a batch that this task holds; whatever happens, it does not keep it."""
    run: BatchRun | None = None
    try:
        run = begin(context(claim.holder.decode()), tournament, number, claim)
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
    if outcome is RunOutcome.DONE:
        logger.info("batch done")
    elif outcome is RunOutcome.LEASE_LOST:
        logger.warning("batch taken over by another run")
        run.release()
    elif outcome is RunOutcome.SUSPENDED or not run.wait_for_people():
        logger.info("batch suspended")
        run.release()
        put_back(tournament)


def put_back(tournament: int) -> None:
    """Hands out again what is not done and nobody holds."""
    with store().read() as conn:
        numbers = batches.open_numbers(conn, tournament)
    send_batches(tournament, numbers)


def this_worker() -> str:
    """The name of the worker that runs this task; "" outside of one."""
    return str(current_task.request.hostname or "") if current_task else ""


def give_back(leases: Iterable[Lease], tournament: int, error: BaseException) -> None:
    """Gives up the leases of a run that ended in an error, and has the batches handed out again:
    at once, or after a while those that failed before."""
    held = list(leases)
    metrics.retried(len(held))
    try:
        if isinstance(error, SchemaMismatch):  # it is not the fault of the batches
            for each in held:
                each.release()
            return
        at_once = [each.fail() for each in held]
        passes = isinstance(error, (Unavailable, *AWAY))
        if isinstance(error, Exception) and not passes and not all(at_once):
            incidents.note(client(), tournament, error, incidents.PLAYING_S, this_worker())
        if any(at_once):
            send_advance(tournament)
    except AWAY as away:
        log.warning("batches wait until their leases expire", error=str(away))
