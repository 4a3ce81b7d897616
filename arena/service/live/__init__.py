"""The live state in Redis: connections, heartbeats, queues and messages between processes.

Celery forks workers, which import this package, so it must not import grpc.
"""
