"""The processes of workers and beat: Celery's settings, the broker, heartbeats, metrics."""
