"""Serves the dashboard."""

import ctypes
import gc
import signal
import socket
from collections import Counter
from contextlib import ExitStack
from functools import partial

import structlog
from flask import Flask

from arena.base import liveness
from arena.base.addresses import networks
from arena.base.config import Settings
from arena.base.errors import Unavailable
from arena.base.folder import kept_key
from arena.base.metrics import metrics_port, served
from arena.service.health.at_start import check_at_start
from arena.service.live import clocks
from arena.service.live.connect import check_url, impatient
from arena.service.live.reader import LiveReader
from arena.store import Store, open_store
from arena.store.reports import fits
from dashboard.account.guard import body_limit
from dashboard.app import create_app
from dashboard.events.broadcaster import STREAMS
from dashboard.events.topics import broadcaster
from dashboard.keys import accepted
from dashboard.mail.delivery import mail_server
from dashboard.mail.messages import Writer
from dashboard.mail.sending import Lookout, Sender
from dashboard.system import metrics
from dashboard.system.background import repeat
from dashboard.system.http_server import HttpServer
from dashboard.webhooks.sending import WebhookSender

log = structlog.get_logger(__name__)

SPARE = 8  # database connections for background work: events, ratings, sending
CLOCK_EVERY_S = 2.0
WARM_EVERY_S = 5.0
WAIT_S = 5.0  # for a database connection, before a request fails
M_ARENA_MAX = -8  # of glibc's malloc.h
ARENAS = 2


def serve(settings: Settings) -> None:
    """Serve the dashboard at the configured address until SIGTERM or SIGINT.

    Raises Unavailable if the database is unusable or a port is taken, InvalidRequest if the URL of
    Redis or of a mail server, or a network, is invalid.
    """
    key = settings.secret_key or kept_key(settings.data)
    settings = settings.model_copy(update={"secret_key": key})
    check_url(settings.redis_url)
    mail_server(settings)  # fails here if it is invalid
    keep_small()
    store = open_store(
        settings.database,
        connections=settings.dashboard_threads + SPARE,
        wait_s=WAIT_S,
        archive=settings.archive_folder,
    )
    check_at_start("dashboard", settings)
    with ExitStack() as stack:
        stack.callback(store.dispose)
        listener = stack.enter_context(listening(settings))
        app = create_app(settings, store, impatient(settings.redis_url))
        sending = begin_sending(app, settings)
        if port := metrics_port(settings, "dashboard"):
            registry = metrics.register(app, app.extensions["arena"])
            registry.register(sending)
            stack.enter_context(served(settings.host, port, registry))
        server = made_server(app, settings, listener)
        stop_on_signals(app, server)
        keep_warm(store)
        report_clock(app)
        log.info("dashboard listening", address=f"http://{settings.host}:{settings.dashboard_port}")
        server.run()


def report_clock(app: Flask) -> None:
    reader: LiveReader = app.extensions["arena"].reader
    repeat(
        lambda: reader.answer(partial(clocks.report, process="dashboard")),
        CLOCK_EVERY_S,
        name="clock",
        unavailable="cannot report the clock",
        broke="reporting the clock broke",
    )


def keep_warm(store: Store) -> None:
    """Start a daemon thread that computes slow ratings, so that pages find them in the cache."""
    first = True

    def prepare() -> None:
        nonlocal first
        with store.read() as conn:
            fits.prepare(conn, first=first)
        first = False

    repeat(
        prepare,
        WARM_EVERY_S,
        name="warm",
        unavailable="cannot prepare ratings",
        broke="preparing ratings broke",
    )


def made_server(app: Flask, settings: Settings, listener: socket.socket) -> HttpServer:
    return HttpServer(
        app,
        listener,
        # Each event stream occupies a thread, but no database connection.
        threads=STREAMS + settings.dashboard_threads,
        at_once=max(1, settings.dashboard_threads // 2),
        people=0 if settings.proxies else settings.people_per_address,
        limit=partial(body_limit, app),
    )


def stop_on_signals(app: Flask, server: HttpServer) -> None:
    def stop(*_: object) -> None:
        liveness.stopping()
        broadcaster(app).stop()
        server.stop()

    for told in signal.SIGTERM, signal.SIGINT:
        signal.signal(told, stop)


def listening(settings: Settings) -> socket.socket:
    """Return a socket bound to the configured address. Raises Unavailable."""
    place = (settings.host, settings.dashboard_port)
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server(place, family=family, backlog=256)
    except OSError as error:
        raise Unavailable(
            f"The dashboard cannot listen on {place[0]}:{place[1]} ({error.strerror or error})."
            " Choose another port with ARENA_DASHBOARD_PORT, or another address with ARENA_HOST."
        ) from error


def begin_sending(app: Flask, settings: Settings) -> metrics.Sending:
    """Start sending e-mails and webhooks, if configured; return the counters."""
    here, key = app.extensions["arena"], str(app.secret_key)
    mails, calls = Counter[str](), Counter[str]()
    server = mail_server(settings)
    if server is not None:
        sender = Sender(here.store, Writer(settings.public_url, key), server.send)
        mails = sender.outcomes
        sender.begin()
    if settings.webhooks_per_account:
        allowed = networks(settings.webhook_networks)
        newest_first = accepted(app)[::-1]
        caller = WebhookSender(here.store, settings.public_url, newest_first, allowed, calls)
        caller.begin()
    if server is not None or settings.webhooks_per_account:
        webhooks = settings.webhooks_per_account > 0
        Lookout(here.store, here.live, webhooks=webhooks).begin()
    return metrics.Sending(here, mails, calls)


def keep_small() -> None:
    """Call this before the process forks or starts threads.

    By default, glibc uses up to eight memory pools per core. Python threads rarely allocate in
    parallel, so two pools are enough. Freezing the garbage collector keeps imported objects shared
    between the fork and its parent.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, ARENAS)
    gc.collect()
    gc.freeze()
