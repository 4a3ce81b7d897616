"""Sends tasks to the workers, for processes that are not workers themselves."""

from functools import lru_cache

import celery
import kombu.exceptions
import redis

from arena.base.errors import Unavailable
from arena.service.live import queues
from arena.service.live.connect import place
from arena.service.live.redis_error import explain

ADVANCE_TASK = "arena.advance"
PLAY_TASK = "arena.play"
REVIEW_TASK = "arena.review"

# Fails within seconds if the broker is away, because a user waits for the response.
_RETRIES = {"max_retries": 1, "interval_start": 0.1, "interval_step": 0.1, "interval_max": 0.2}


def send_advance(broker_url: str, tournament: int) -> None:
    """Asks the workers to advance a tournament. Call this after the commit. Raises Unavailable if
    the broker cannot be reached; then a sweep finds the tournament later."""
    _send(broker_url, ADVANCE_TASK, [tournament], queues.ADVANCE)


def send_play(broker_url: str, tournament: int, batch: int) -> None:
    """Asks the workers to resume a batch now. Raises Unavailable; see `send_advance`."""
    _send(broker_url, PLAY_TASK, [tournament, batch], queues.PROMPT)


def send_review(broker_url: str) -> None:
    """Notifies the workers of a pending review. Call this after the commit. Raises Unavailable;
    then the next sweep notifies them."""
    _send(broker_url, REVIEW_TASK, [], queues.REVIEW)


def _send(broker_url: str, task: str, args: list[int], queue: str) -> None:
    try:
        _producer(broker_url).send_task(
            task,
            args=args,
            queue=queue,
            ignore_result=True,
            retry=True,
            retry_policy=_RETRIES,
        )
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        told, public = explain(error, place(broker_url)), explain(error)
        raise Unavailable(
            f"The workers cannot be notified. {told}", f"The workers cannot be notified. {public}"
        ) from error


@lru_cache(maxsize=4)
def _producer(broker_url: str) -> celery.Celery:
    app = celery.Celery("arena", broker=broker_url, set_as_current=False)
    app.conf.broker_transport_options = {"socket_connect_timeout": 2, **_RETRIES}
    return app
