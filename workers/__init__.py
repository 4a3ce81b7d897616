"""Celery: the tasks that play batches and advance tournaments.

tasks      the tasks, thin shells around the packages
setup      the processes of workers and beat
schedule   who plays when, without IO
playing    the loops around it, against Redis and the database
advancing  tournaments: sign-up, start, next batches, end
analysis   luck and reviews of finished matches
"""
