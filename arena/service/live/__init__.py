"""What is true at this moment, in Redis: who is connected where, and the messages between them.

Workers import this package, and Celery forks workers: nothing in here may import grpc.
"""
