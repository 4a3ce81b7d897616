"""The Celery tasks.

An error in one tournament or batch must not affect others. It is logged and noted, and the work is
retried.
"""

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

import redis
import structlog
from celery import Task, current_task
from celery.signals import worker_process_init, worker_process_shutdown
from redis.exceptions import LockError

from arena.base import gc_tuning, instant, tracing
from arena.base.errors import SchemaMismatch, Unavailable
from arena.service.live import incidents, keys, ready
from arena.service.live.presence import present
from arena.service.live.queues import ADVANCE, LUCK, PLAY, PROMPT, REVIEW
from arena.store.database_error import Locked
from arena.store.luck import look_again
from arena.store.reviews import requests
from arena.store.reviews.requests import ReviewLimits
from arena.store.tournaments import batches, hosted, tournaments
from arena.store.tournaments.tournaments import Tournament
from workers.advancing import advance as advancing
from workers.advancing.sweep import Sweep
from workers.analysis.luck import calculate, catch_up, rate_people
from workers.analysis.review import review_next
from workers.playing import lease
from workers.playing.batch import BatchRun, RunContext, begin
from workers.playing.lease import Lease
from workers.playing.shared_run import SharedRun
from workers.schedule import RunOutcome, ScheduleLimits
from workers.setup import metrics, shutdown, watchdog
from workers.setup.app import app
from workers.setup.connections import AWAY, client, outages_logged, settings, store

log = structlog.get_logger()

MOST_WAITING_TASKS = 64  # that play waiting batches; more processes are rarely free at once
SWEEP_PAUSE_MS = 500  # after the start of a sweep, before the next queued one is carried out
ADVANCING_S = 30  # after which a task that advances a tournament counts as lost
REVIEWING_S = 20  # the time slice of a task that reviews
LUCK_SLICE_S = 1.0  # the same for luck; short, because a stopping worker waits for it
LUCK_WAITS_S = 180  # delay of luck while batches wait for a worker
LUCK_LOST_S = 60  # after which a process that calculates luck counts as dead

worker_process_init.connect(lambda **_: gc_tuning.tune(), weak=False)
worker_process_shutdown.connect(lambda **_: tracing.close(), weak=False)


# Advancing and handing out


@app.task(name="arena.advance")
def advance(tournament: int) -> None:
    """Advances a tournament and queues its next batches."""
    with outages_logged():
        client().delete(keys.advancing(tournament))
        hand_out(tournament)


@app.task(name="arena.sweep")
def sweep() -> None:
    """Sweeps all tournaments; see `workers.advancing.sweep`."""
    with outages_logged():
        # While no worker ran, sweeps piled up.
        lately = not client().set(keys.SWEEP_BEGAN, 1, nx=True, px=SWEEP_PAUSE_MS)
        if lately and client().llen(ADVANCE):
            return
        Sweep(store(), client(), advance=hand_out, hand_out=send_batches).run()
        wake(ready.waiting(client()))
        wake_reviewer()
        if not client().llen(LUCK):  # if no worker takes it, one task is enough
            luck.apply_async(args=())


@app.task(name="arena.luck")
def luck() -> None:
    """Calculates the luck of matches and the ratings of people for a time slice, in one process at
    a time."""
    with outages_logged():
        alone = client().lock(keys.CALCULATING_LUCK, timeout=LUCK_LOST_S, blocking=False)
        if not alone.acquire():
            return
        try:
            look_again_once()
            wait = LUCK_WAITS_S if ready.waiting(client()) else 0
            until = time.monotonic() + LUCK_SLICE_S
            catch_up(store(), calculate, until, finished_by=instant.now() - wait)
            rate_people(store(), until)
        finally:
            with suppress(LockError):
                alone.release()


@lru_cache(maxsize=1)
def look_again_once() -> None:
    """Queues skipped matches again, because this release may have a model for them."""
    with store().write() as conn:
        look_again(conn)


def hand_out(tournament: int) -> None:
    """Advances a tournament and queues the batches without a lease."""
    after, webhooks = settings().bench_after, settings().webhooks_per_account > 0
    if numbers := advancing.advance(store(), client(), tournament, after, webhooks=webhooks):
        with suppress(Unavailable, *AWAY):  # the forecast is not essential
            advancing.keep_forecast(store(), client(), tournament, settings().in_flight)
        send_batches(tournament, numbers)


def send_batches(tournament: int, numbers: Sequence[int]) -> None:
    """Queues the batches among these that are not queued or played. Interactive ones get separate
    tasks, and so do those that failed before, to isolate their errors."""
    with store().read() as conn:
        found = tournaments.get(conn, tournament)
    if found.state != "running":
        return
    rated = found.kind == "tournament"
    if not rated and not hosts_have(found):
        return  # the sweep will retry
    alone = lease.failed(client(), tournament, numbers) if rated else set(numbers)
    for number in sorted(alone):
        if lease.queue(client(), tournament, number):
            send(tournament, number, PLAY if rated else PROMPT)
    if shared := [number for number in numbers if number not in alone]:
        size = advancing.batch_size(found.planned)
        wake(ready.add(client(), tournament, shared, matches=size, weight=found.weight))


def hosts_have(found: Tournament) -> bool:
    """Whether all hosted players are connected. Otherwise a match with a separate task would occupy
    a worker while it waits for a host."""
    with store().read() as conn:
        by_hosts = hosted.among(conn, found.players)
    return len(present(client(), by_hosts)) == len(by_hosts)


def send(tournament: int, number: int, queue: str) -> None:
    """Sends a batch that is marked as queued. Removes the mark if that fails."""
    try:
        play.apply_async(args=(tournament, number), queue=queue)
    except Exception:
        with suppress(redis.RedisError):
            lease.unqueue(client(), tournament, number)
        raise


def wake(waiting: int) -> None:
    """Sends tasks for the waiting batches, so that no process is idle."""
    missing = min(waiting, MOST_WAITING_TASKS) - client().llen(PLAY)
    for _ in range(missing):
        play.apply_async(args=(), queue=PLAY)


def wake_reviewer() -> None:
    """Sends a task if reviews wait, in case an earlier one was lost."""
    if client().llen(REVIEW):
        return
    with store().read() as conn:
        waiting = requests.waiting(conn, instant.now())
    if waiting:
        review.apply_async(args=(), queue=REVIEW)


def send_advance(tournament: int) -> None:
    """Sends a task that advances a tournament, unless there is one already."""
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
    """Makes the requested reviews for a time slice, and sends a task for the rest."""
    with outages_logged():
        until = time.monotonic() + REVIEWING_S
        mark = partial(watchdog.mark_progress, str(self.request.id))
        limits = ReviewLimits(kept=settings().reviews_kept)
        while review_next(store(), limits, mark):
            if shutdown.requested():
                return
            if time.monotonic() > until:
                wake_reviewer()
                return


# Playing


@app.task(name="arena.play", bind=True)
def play(self: Task[Any, Any], tournament: int | None = None, number: int | None = None) -> None:
    """Plays waiting batches, or the given one, for a time slice."""
    with outages_logged():
        holder = lease.new_holder(str(self.request.id))
        if tournament is None or number is None:
            SharedRun(context(holder), holder, give_back, put_back).play()
            return
        claim = Lease(client(), tournament, number, holder)
        if claim.take():
            play_claimed(tournament, number, claim)


def context(holder: str) -> RunContext:
    return RunContext(
        store=store(),
        client=client(),
        limits=ScheduleLimits(settings().window, settings().slice_s, settings().grace_s),
        stop_requested=shutdown.requested,
        advance=send_advance,
        progress=partial(watchdog.mark_progress, lease.task_of(holder)),
        withdraw_after=settings().withdraw_after,
    )


def play_claimed(tournament: int, number: int, claim: Lease) -> None:
    """Plays a leased batch, and gives up the lease in any case."""
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
    """Plays until the batch is done or the time is up."""
    logger = log.bind(tournament=tournament, batch=number)
    outcome = run.play()
    if outcome is RunOutcome.DONE:
        logger.info("batch done")
    elif outcome is RunOutcome.LEASE_LOST:
        logger.warning("lease lost to another run")
        run.release()
    elif outcome is RunOutcome.SUSPENDED or not run.wait_for_people():
        logger.info("batch suspended")
        run.release()
        put_back(tournament)


def put_back(tournament: int) -> None:
    """Queues the open batches without a lease again."""
    with store().read() as conn:
        numbers = batches.open_numbers(conn, tournament)
    send_batches(tournament, numbers)


def this_worker() -> str:
    """The name of the worker that runs this task; "" outside of a task."""
    return str(current_task.request.hostname or "") if current_task else ""


def give_back(leases: Iterable[Lease], tournament: int, error: BaseException) -> None:
    """Gives up the leases of a failed run, and has the batches queued again: at once, or after a
    pause if they have failed before."""
    held = list(leases)
    metrics.RETRIES.inc(len(held))
    try:
        if isinstance(error, SchemaMismatch):  # not caused by the batches
            for each in held:
                each.release()
            return
        passes = isinstance(error, (Unavailable, *AWAY))
        # Alone, a batch waits longer for a lock.
        outage = passes and not isinstance(error, Locked)
        at_once = [each.fail(outage=outage) for each in held]
        if isinstance(error, Exception) and not passes and not all(at_once):
            incidents.note(client(), tournament, error, incidents.PLAYING_S, this_worker())
        if any(at_once):
            send_advance(tournament)
    except AWAY as away:
        log.warning("leases cannot be released and will expire", error=str(away))
