"""The errors of an outage of Redis, directly or as the broker."""

import kombu.exceptions
import redis

AWAY = (redis.RedisError, kombu.exceptions.OperationalError)
