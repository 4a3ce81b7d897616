"""A process's settings and connections to the database and Redis, and what happens in an outage."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import kombu.exceptions
import redis
import structlog

from arena.base.config import Settings
from arena.base.errors import SchemaMismatch, Unavailable
from arena.service.live.connect import connect, place
from arena.service.live.redis_error import explain
from arena.store import Store, open_store
from workers.setup import metrics, shutdown

log = structlog.get_logger()

# The errors of an outage of Redis, directly or as the broker.
AWAY = (redis.RedisError, kombu.exceptions.OperationalError)


@lru_cache(maxsize=1)
def settings() -> Settings:
    return Settings()


@lru_cache(maxsize=1)
def store() -> Store:
    """This process's store, opened after the fork."""
    return open_store(settings().database, archive=settings().archive_folder)


@lru_cache(maxsize=1)
def client() -> redis.Redis:
    """This process's Redis connection, opened after the fork."""
    return connect(settings().redis_url)


@contextmanager
def outages_logged() -> Iterator[None]:
    """Logs an outage of the database or Redis without a traceback. If the database is of another
    release, shuts the worker down, so that a supervisor starts the installed release."""
    try:
        yield
    except SchemaMismatch as error:
        log.error("shutting down", error=str(error))  # noqa: TRY400  # no traceback needed
        shutdown.note_outdated()
    except (Unavailable, *AWAY) as error:
        database = isinstance(error, Unavailable)
        reason = str(error if database else explain(error, place(settings().redis_url)))
        log.warning("task failed and will be retried", error=reason)
        metrics.OUTAGES.labels("database" if database else "redis").inc()
