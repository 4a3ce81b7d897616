"""The broker's transport: Celery's transport for Redis with four changes.

It always frees a task's slot. A worker reserves as many tasks as it has processes, and Kombu only
frees a slot when Redis has acknowledged a finished task. After an outage at that moment, the slot
would stay taken. With all slots taken, a worker no longer reads from Redis and does not notice that
its connection is broken. Here the slot is freed, and the task is acknowledged after a reconnect.

It tries to reconnect every one to two seconds, instead of up to every half minute.

A Redis that refuses writes counts as away. Otherwise Celery would end the worker with an error, and
a restarted worker would end the same way.

It forgets tasks that no worker acknowledged for long, instead of repeating them, because the sweep
has found their work long before. Their age is measured by the clock of Redis. Kombu would compare
the clocks of different machines, and a wrong one would make it repeat tasks that are running.
"""

from typing import Any

import kombu
import redis
import structlog
from celery.app import amqp
from kombu.transport import redis as kombu_redis
from kombu.transport import virtual
from kombu.utils.json import dumps

from arena.base import liveness
from arena.service.live.connect import place
from arena.service.live.redis_error import explain, try_write

log = structlog.get_logger(__name__)

AWAY = (redis.RedisError, OSError)

# Between attempts to connect: 1 s, then 2 s.
PAUSES = {"interval_start": 1, "interval_step": 1, "interval_max": 2}

_RESERVE = """
redis.call('ZADD', KEYS[1], redis.call('TIME')[1], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
"""
_FORGET = """
local until_ = redis.call('TIME')[1] - ARGV[1]
for _, tag in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', until_)) do
  redis.call('ZREM', KEYS[1], tag)
  redis.call('HDEL', KEYS[2], tag)
end
"""

# Delivery tags of finished tasks that are not acknowledged in Redis, for all connections of this
# process.
_unacked: set[str] = set()


class QoS(kombu_redis.QoS):
    """Counts a worker's reserved tasks."""

    def append(self, message: Any, delivery_tag: str) -> None:
        """Reserves a task. Raises RedisError."""
        place = message.delivery_info
        packed = dumps([message._raw, place["exchange"], place["routing_key"]])
        self._eval(_RESERVE, delivery_tag, packed)
        virtual.QoS.append(self, message, delivery_tag)
        self._ack_missed()

    def restore_visible(self, *_: Any, **__: Any) -> None:
        """Forgets tasks that were reserved too long ago. Raises RedisError."""
        self._eval(_FORGET, self.visibility_timeout)

    def ack(self, delivery_tag: str) -> None:
        """Acknowledges a finished task. Without Redis, it frees the slot now, and acknowledges the
        task after a reconnect."""
        try:
            super().ack(delivery_tag)
            self._ack_missed()
        except AWAY:  # not raised: Celery would log it as critical, with a traceback
            _unacked.add(delivery_tag)
            virtual.QoS.ack(self, delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Returns a task to the queue. Without Redis, it frees the slot; then the sweep finds the
        batch."""
        try:
            super().reject(delivery_tag, requeue=requeue)
        except AWAY:
            _unacked.add(delivery_tag)
            virtual.QoS.ack(self, delivery_tag)

    def _eval(self, script: str, *values: object) -> None:
        names = self.unacked_index_key, self.unacked_key
        with self.channel.conn_or_acquire() as client:  # type: ignore[attr-defined]  # not in the stubs
            client.eval(script, len(names), *names, *values)

    def _ack_missed(self) -> None:
        for tag in list(_unacked):
            self._remove_from_indices(tag).execute()  # type: ignore[attr-defined]  # not in the stubs
            _unacked.discard(tag)


class Client(redis.Redis):
    """The client with which Kombu opens channels."""

    def ping(self, **named: Any) -> Any:
        """Raises RedisError even if Redis answers, when it refuses writes."""
        try_write(self)
        return super().ping(**named)


class Channel(kombu_redis.Channel):
    """A connection's channel."""

    QoS = QoS

    def _get_client(self) -> type[Client]:
        return Client


class Transport(kombu_redis.Transport):
    """The transport named by Celery's setting `broker_transport`."""

    Channel = Channel
    # After these errors Celery reconnects; after others it ends the worker.
    connection_errors = (*kombu_redis.Transport.connection_errors, redis.ResponseError)


class BrokerConnection(kombu.Connection):
    """A connection that reconnects soon after Redis is back."""

    def ensure_connection(  # type: ignore[override]  # takes the same arguments
        self, errback: object = None, *arguments: Any, **named: Any
    ) -> kombu.Connection:
        """Connects without a time limit; see `kombu.Connection`. Ignores `errback`, because
        Celery's logs every attempt."""
        given = named.pop("callback", None)

        def still_trying() -> None:
            liveness.alive()
            if given is not None:
                given()

        trying: dict[str, Any] = {"callback": still_trying}
        return super().ensure_connection(self._failed, *arguments, **(PAUSES | named | trying))

    def _failed(self, error: BaseException, _: float) -> None:
        """Logs why Redis cannot be used. The log counts repeated lines."""
        log.warning("waiting for Redis", reason=str(explain(error, place(self.as_uri()))))


class AMQP(amqp.AMQP):
    """Makes Celery use `BrokerConnection`."""

    Connection = BrokerConnection
