"""Celery: the tasks that play batches and advance tournaments."""
