"""Common imports of an arena's programs, imported once before forking.

None of it starts a thread, opens a file or a connection, or looks at ARENA_* variables, so that
each fork is as good as a fresh process; gRPC starts its threads with the first channel or server.
Left out is what does: the Celery and Flask applications, and Prometheus' library, which looks where
to count when it is imported.
"""

from __future__ import annotations

import gc
import importlib

MODULES = (
    "arena.store",
    "arena.service.control.service",
    "arena.bots",
    "arena.sdk.client",
    "grpc.aio",
    "grpc_reflection.v1alpha.reflection",
    "redis.asyncio",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "kombu.transport.redis",
    "flask_limiter",
    "flask_login",
    "flask_wtf",
    "markdown_it",
    "waitress",
)


# The subset for house bots.
OF_BOTS = ("arena.bots", "arena.sdk.client", "grpc.aio")


def preload(modules: tuple[str, ...] = MODULES) -> None:
    """Import the modules and freeze objects, so that the garbage collector keeps them shared."""
    for module in modules:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
