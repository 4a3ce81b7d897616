"""The Celery application and its settings."""

import warnings

from celery import Celery
from celery.exceptions import CPendingDeprecationWarning

from arena.base.config import MOST_SLICE_S, Settings
from arena.service.live import queues
from workers.setup.broker import AMQP
from workers.setup.heartbeat import HeartbeatStep

SWEEP_S = 1.0

HANGS_S = 540  # beyond `slice_s`, after which a task counts as hanging


def make_app(settings: Settings) -> Celery:
    """The application with the broker of these settings."""
    # Celery warns about a change of later releases whenever Redis is away.
    warnings.filterwarnings("ignore", r"\s*In Celery 5.1 we introduced", CPendingDeprecationWarning)
    app = Celery("arena", broker=settings.redis_url, include=["workers.tasks"], amqp=AMQP)
    app.conf.update(
        # Tasks are acknowledged when they are done, so that a killed worker's task is redelivered.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        # A process that plays for a minute must not reserve tasks that others could run.
        worker_prefetch_multiplier=1,
        # Tasks store their results in the database.
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        task_time_limit=settings.slice_s + HANGS_S,
        # On shutdown, tasks need a moment to suspend their matches.
        worker_soft_shutdown_timeout=5,
        # Advancing is short and urgent. It has a separate queue because priorities in Redis are
        # approximate.
        task_routes={
            "arena.play": {"queue": queues.PLAY},  # or PROMPT for interactive work
            "arena.advance": {"queue": queues.ADVANCE},
            "arena.sweep": {"queue": queues.ADVANCE},
            # Low priority: only review workers take from these.
            "arena.luck": {"queue": queues.LUCK},
            "arena.review": {"queue": queues.REVIEW},
        },
        broker_transport="workers.setup.broker:Transport",
        broker_transport_options={
            # Reserved tasks are forgotten after this. It is longer than any task, even of a worker
            # with other settings. The sweep finds lost tasks sooner.
            "visibility_timeout": 2 * (MOST_SLICE_S + HANGS_S),
        },
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # however long Redis is away
        beat_schedule={"sweep": {"task": "arena.sweep", "schedule": SWEEP_S}},
        # Remote control and events are not used, and cost messages.
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        timezone="UTC",
    )
    app.steps["worker"].add(HeartbeatStep)
    return app


app = make_app(Settings())
