"""The broker's transport: Celery's Redis, but one that frees a task's slot whatever happens.

A worker reserves as many tasks as it has processes. Kombu frees a slot when Redis has heard that
the task is done; where Redis is away at that moment, the slot is never freed. With all slots taken
the worker asks Redis for nothing any more, and so does not even notice that its connection is
broken. Here the slot is freed, the worker connects again, and then tells Redis what is done.
"""

from __future__ import annotations

from typing import Any

import redis
from kombu.transport import redis as kombu_redis
from kombu.transport import virtual

AWAY = (redis.RedisError, OSError)

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


class Channel(kombu_redis.Channel):
    """A connection's channel."""

    QoS = QoS


class Transport(kombu_redis.Transport):
    """What Celery's setting `broker_transport` names."""

    Channel = Channel
