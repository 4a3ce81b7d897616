"""Runs the dashboard under gunicorn."""

from __future__ import annotations

import socket
from collections import Counter
from contextlib import ExitStack
from typing import Any

import structlog
from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.glogging import Logger
from prometheus_client import CollectorRegistry

from arena import liveness
from arena.config import Settings
from arena.errors import Unavailable
from arena.live.connect import check_url, impatient
from arena.metrics import metrics_port, served
from arena.secret_key import kept_key
from arena.store import Store, open_store
from dashboard.app import create_app
from dashboard.events.broadcaster import STREAMS
from dashboard.events.part import broadcaster
from dashboard.mail.delivery import mail_server
from dashboard.mail.letters import Writer
from dashboard.mail.lookout import Lookout
from dashboard.mail.sending import Sender
from dashboard.system import metrics
from dashboard.system.cache_warmer import keep_warm
from dashboard.system.memory import keep_small
from dashboard.system.slow_requests import PunctualWorker
from dashboard.webhooks.sending import WebhookSender
from dashboard.webhooks.targets import allowed_networks

log = structlog.get_logger(__name__)

LONGEST_ADDRESS, LONGEST_HEADER = 4094, 8190  # bytes; gunicorn refuses what is longer
MOST_HEADERS = 100
SPARE = 8  # database connections for what goes on beside requests: news, fits made anew, sending
WAIT_S = 5.0  # how long a request waits for one before it is told to come back later
STOP_S = 1  # how long requests may take to end when the dashboard stops


def serve(settings: Settings) -> None:
    """Serves the dashboard at the settings' address until SIGTERM or SIGINT.

    Raises Unavailable when the database cannot be used or a port is taken, InvalidRequest when
    what is set as the URL of Redis or of a mail server, or as networks, is none.
    """
    key = settings.secret_key or kept_key(settings.data)
    settings = settings.model_copy(update={"secret_key": key})
    check_url(settings.redis_url)
    mail_server(settings)  # said here, if it is none
    allowed_networks(settings)
    store = open_store(
        settings.database,
        connections=settings.dashboard_threads + SPARE,
        wait_s=WAIT_S,
        archive=settings.archive_folder,
    )
    store.dispose()  # gunicorn forks: the child opens connections of its own
    with served(settings.host, metrics_port(settings, "dashboard"), CollectorRegistry()):
        pass  # the child serves them; where the port is taken, that is said here
    keep_small()
    # gunicorn makes the descriptor its own, and closes it.
    Server(settings, store, listening(settings).detach()).run()


def listening(settings: Settings) -> socket.socket:
    """A socket bound to the settings' address. Raises Unavailable."""
    place = (settings.host, settings.dashboard_port)
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server(place, family=family, backlog=256)
    except OSError as error:
        raise Unavailable(
            f"The dashboard cannot listen on {place[0]}:{place[1]} ({error.strerror or error}):"
            " choose another port with ARENA_DASHBOARD_PORT, or another address with ARENA_HOST."
        ) from error


class Server(BaseApplication):  # type: ignore[misc]
    """One gunicorn process with threads; the database does the work."""

    def __init__(self, settings: Settings, store: Store, descriptor: int) -> None:
        self._settings = settings
        self._store = store
        self._descriptor = descriptor
        self._metrics = ExitStack()
        super().__init__()

    def load_config(self) -> None:
        """Sets what differs from gunicorn's defaults."""
        changed: dict[str, Any] = {
            "proc_name": "arena dashboard",
            "bind": f"fd://{self._descriptor}",
            "worker_class": f"{__name__}.Worker",
            # A stream of events keeps a thread, but no database connection; the others answer.
            "threads": STREAMS + self._settings.dashboard_threads,
            "graceful_timeout": STOP_S,
            "limit_request_line": LONGEST_ADDRESS,
            "limit_request_fields": MOST_HEADERS,
            "limit_request_field_size": LONGEST_HEADER,
            "control_socket_disable": True,
            "logger_class": StructuredLog,
            "loglevel": "warning",
            "when_ready": _say_where,
        }
        for name, value in changed.items():
            # What older releases do not know, they do not do either.
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self) -> Flask:
        """The application, made in the process that answers."""
        keep_warm(self._store)
        app = create_app(self._settings, self._store, impatient(self._settings.redis_url))
        sending = begin_sending(app, self._settings)
        if port := metrics_port(self._settings, "dashboard"):
            registry = metrics.register(app, app.extensions["arena"])
            registry.register(sending)
            # In a thread, until this process ends.
            self._metrics.enter_context(served(self._settings.host, port, registry))
        return app


def begin_sending(app: Flask, settings: Settings) -> metrics.Sending:
    """Sends e-mails and calls webhooks from now on, if the settings say so; gives what is counted
    of it."""
    here, key = app.extensions["arena"], str(app.secret_key)
    mails, calls = Counter[str](), Counter[str]()
    server = mail_server(settings)
    if server is not None:
        sender = Sender(here.store, Writer(settings.public_url, key), server.send)
        mails = sender.outcomes
        sender.begin()
    if settings.webhooks_per_account:
        allowed = allowed_networks(settings)
        caller = WebhookSender(here.store, settings.public_url, key, allowed, calls)
        caller.begin()
    if server is not None or settings.webhooks_per_account:
        webhooks = settings.webhooks_per_account > 0
        Lookout(here.store, here.live, webhooks=webhooks).begin()
    return metrics.Sending(here, mails, calls)


class Worker(PunctualWorker):
    """Gunicorn's threads; those that stream events end when the process is told to stop."""

    def notify(self) -> None:
        """Called every second by the loop that hands requests to threads."""
        super().notify()
        liveness.alive()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """SIGTERM: requests may end."""
        liveness.stopping()
        self._end_streams()
        super().handle_exit(sig, frame)

    def handle_quit(self, sig: int, frame: Any) -> None:
        """SIGINT, SIGQUIT: stops at once."""
        self._end_streams()
        super().handle_quit(sig, frame)

    def run(self) -> None:
        """Answers until told to stop, or until the parent process is gone."""
        liveness.take_over()
        try:
            super().run()
        finally:
            self._end_streams()

    def _end_streams(self) -> None:
        # A signal may come before the application is made.
        if isinstance(self.wsgi, Flask):
            broadcaster(self.wsgi).stop()


class StructuredLog(Logger):  # type: ignore[misc]
    """Gunicorn's log, in the form of all our logs."""

    def setup(self, cfg: Any) -> None:
        """Leaves the lines to the handlers that `arena.logs` set up."""
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


def _say_where(server: Arbiter) -> None:
    log.info("dashboard listening", address=", ".join(map(str, server.LISTENERS)))
