"""The broker's transport: Celery's Redis, but one that frees a task's slot whatever happens.

A worker reserves as many tasks as it has processes. Kombu frees a slot when Redis has heard that
the task is done; where Redis is away at that moment, the slot is never freed. With all slots taken
the worker asks Redis for nothing any more, and so does not even notice that its connection is
broken. Here the slot is freed, the worker connects again, and then tells Redis what is done.

It also tries to connect more often: left to itself it would wait two seconds longer each time, up
to half a minute.

A Redis that refuses writes counts as away. Celery would end the worker with the first such error,
and a worker that was started again would connect and end the same way.
"""

from __future__ import annotations

from typing import Any

import kombu
import redis
import structlog
from celery.app import amqp
from kombu.transport import redis as kombu_redis
from kombu.transport import virtual

from arena.base import liveness
from arena.service.live.connect import place
from arena.service.live.redis_error import explain, try_write

log = structlog.get_logger(__name__)

AWAY = (redis.RedisError, OSError)

# Between two attempts to connect: 1 s, then 2 s.
PAUSES = {"interval_start": 1, "interval_step": 1, "interval_max": 2}

# Delivery tags of tasks that are done, of which Redis has not heard yet; for every connection that
# this process makes.
_unacked: set[str] = set()


class QoS(kombu_redis.QoS):
    """Counts the tasks that a worker has reserved."""

    def append(self, message: Any, delivery_tag: str) -> None:
        """Notes a task that has come. Raises RedisError."""
        super().append(message, delivery_tag)
        self._ack_missed()

    def ack(self, delivery_tag: str) -> None:
        """Notes a task that is done. Raises RedisError; its slot is free nevertheless."""
        try:
            super().ack(delivery_tag)
            self._ack_missed()
        except AWAY:
            _unacked.add(delivery_tag)
            virtual.QoS.ack(self, delivery_tag)
            raise

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Gives a task back. Raises RedisError; its slot is free nevertheless, and the sweep finds
        the batch that nobody plays."""
        try:
            super().reject(delivery_tag, requeue=requeue)
        except AWAY:
            _unacked.add(delivery_tag)
            virtual.QoS.ack(self, delivery_tag)
            raise

    def _ack_missed(self) -> None:
        for tag in list(_unacked):
            self._remove_from_indices(tag).execute()  # type: ignore[attr-defined]  # not in the stubs
            _unacked.discard(tag)


class Client(redis.Redis):
    """Kombu pings with it whenever it opens a channel."""

    def ping(self, **named: Any) -> Any:
        """Raises RedisError, also where Redis answers and refuses writes."""
        try_write(self)
        return super().ping(**named)


class Channel(kombu_redis.Channel):
    """A connection's channel."""

    QoS = QoS

    def _get_client(self) -> type[Client]:
        return Client


class Transport(kombu_redis.Transport):
    """What Celery's setting `broker_transport` names."""

    Channel = Channel
    # A Redis that refuses a command is waited for; Celery ends the worker after other errors.
    connection_errors = (*kombu_redis.Transport.connection_errors, redis.ResponseError)


class BrokerConnection(kombu.Connection):
    """A connection that is back soon after Redis is."""

    def ensure_connection(  # type: ignore[override]  # takes what that takes
        self, errback: object = None, *arguments: Any, **named: Any
    ) -> kombu.Connection:
        """Connects, however long that takes; see `kombu.Connection`. `errback` is not called:
        Celery's logs every attempt."""
        given = named.pop("callback", None)

        def still_trying() -> None:
            liveness.alive()
            if given is not None:
                given()

        trying: dict[str, Any] = {"callback": still_trying}
        return super().ensure_connection(self._failed, *arguments, **(PAUSES | named | trying))

    def _failed(self, error: BaseException, _: float) -> None:
        """Logs why Redis cannot be used: the log counts lines that repeat."""
        log.warning("waiting for Redis", reason=str(explain(error, place(self.as_uri()))))


class AMQP(amqp.AMQP):
    """What an application makes its connections with."""

    Connection = BrokerConnection
