"""What is raised where Redis, or the broker, which is the same, is away."""

import kombu.exceptions
import redis

AWAY = (redis.RedisError, kombu.exceptions.OperationalError)
