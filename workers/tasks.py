"""The tasks: thin shells around `advance` and `batch`, one place for this process's connections."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import redis
import structlog
from celery import Task
from celery.signals import worker_process_init

from arena import garbage
from arena.config import Settings
from arena.live.connect import connect
from arena.live.vitals import swept
from arena.store import Store, batches, bots, open_store, tournaments
from workers import lease, stopping
from workers.advance import advance as take_forward
from workers.app import PLAY_QUEUE, PROMPT_QUEUE, app
from workers.batch import BatchRun, Overtaken, Room
from workers.lease import Lease

log = structlog.get_logger()


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


@app.task(name="arena.advance")
def advance(tournament: int) -> None:
    """Takes a tournament forward and sends its next batches to the workers."""
    if numbers := take_forward(store(), client(), tournament):
        with store().read() as conn:
            rated = tournaments.get(conn, tournament).kind == "tournament"
        for number in numbers:
            play.apply_async(args=(tournament, number), queue=PLAY_QUEUE if rated else PROMPT_QUEUE)


@app.task(name="arena.play", bind=True)
def play(self: Task[Any, Any], tournament: int, number: int) -> None:
    """Plays a batch, or as much of it as the slice of time allows."""
    claim = Lease(client(), tournament, number, str(self.request.id))
    if not claim.take():
        return
    run = prepare(tournament, number, claim)
    if run is None:
        claim.release()
        return
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
    )
    return BatchRun(room, tournament, batch, players, claim)


@app.task(name="arena.sweep")
def sweep() -> None:
    """Takes all tournaments under way forward: who waits for bots, whose batch got lost."""
    with store().read() as conn:
        under_way = tournaments.active(conn)
    for tournament in under_way:
        # Of a table there is nothing to do but its one batch.
        if tournament.kind != "table" or not lease.is_taken(client(), tournament.id, 0):
            advance(tournament.id)
    swept(client())
