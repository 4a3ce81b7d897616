"""Celery workers, which play batches and advance tournaments.

tasks      the tasks; they only call the other packages
setup      the processes of workers and beat
schedule   decides what to play when, without IO
playing    carries that out with Redis and the database
advancing  sign-up, start, planning and end of tournaments
analysis   luck and reviews of finished matches, ratings of people
"""
