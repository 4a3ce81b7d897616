"""`arena gateway`, `worker`, `beat`, `dashboard`, `host`, `house`: run one process.

ARENA_* variables configure them. The options override these.
"""

import asyncio
import os
from pathlib import Path

import click

from arena.base import gc_tuning, liveness, tracing
from arena.base.config import Settings
from arena.base.logs import setup_logs
from arena.cli.where import data_option
from arena.service.bootstrap import environment, load_settings

host_option = click.option("--host", help="Address to listen on.  [default: ARENA_HOST]")


def _begin(process: str, **values: object) -> Settings:
    settings = load_settings(**values)
    # Child processes, such as Celery's, read the settings from the environment.
    os.environ.update(environment(settings))
    setup_logs(settings, process)
    liveness.begin(settings.liveness_file)
    tracing.configure(process, settings.trace_share)
    return settings


@click.command()
@data_option
@host_option
@click.option("--port", type=click.IntRange(0, 65535), help="Port.  [default: ARENA_PORT or 7420]")
def gateway(data: Path | None, host: str | None, port: int | None) -> None:
    """Run a gateway for bots to connect to.

    Several gateways, on one machine or more, can share a database and a Redis (ARENA_DATABASE_URL,
    ARENA_REDIS_URL).
    """
    settings = _begin("gateway", data=data, host=host, port=port)
    from arena.service.gateway.server import serve

    gc_tuning.tune()
    asyncio.run(serve(settings))


@click.command()
@data_option
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Number of processes.  [default: ARENA_WORKERS, one per core]",
)
@click.option(
    "--prompt",
    is_flag=True,
    help="Do only interactive work: test matches, games against people, tournament starts.",
)
@click.option("--review", is_flag=True, help="Do only match reviews and luck, in two processes.")
def worker(data: Path | None, workers: int | None, prompt: bool, review: bool) -> None:
    """Run a worker, which plays matches on all cores.

    Run an additional worker with --prompt, so that interactive work does not wait for tournaments.
    Run one with --review, too: other workers never do the reviews that visitors request, nor
    compute the luck of matches.
    """
    if prompt and review:
        raise click.UsageError("Give one of --prompt and --review.")
    settings = _begin("worker", data=data, workers=workers)
    from workers.setup.run import run_worker

    run_worker(settings, prompt=prompt, review=review)


@click.command()
@data_option
def beat(data: Path | None) -> None:
    """Run the scheduler. Start exactly one per arena."""
    settings = _begin("beat", data=data)
    from workers.setup.run import run_beat

    run_beat(settings)


@click.command()
@data_option
@host_option
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port.  [default: ARENA_DASHBOARD_PORT or 7421]"
)
def dashboard(data: Path | None, host: str | None, port: int | None) -> None:
    """Run the web dashboard."""
    settings = _begin("dashboard", data=data, host=host, dashboard_port=port)
    from dashboard import serve

    serve(settings)


@click.command()
@data_option
@click.option("--url", help="Gateway to connect to.  [default: ARENA_URL, else this machine's]")
def house(data: Path | None, url: str | None) -> None:
    """Connect the house bots to a gateway.

    Connects all six, or those in ARENA_HOUSE_BOTS. Each start registers the bots in the database
    and replaces their tokens. If several such processes run, one connects the bots and the others
    are on standby.
    """
    settings = _begin("house", data=data)
    from arena.cli.screen import note
    from arena.operations.supervise.house import run_house
    from arena.operations.supervise.machine import announcement
    from arena.operations.supervise.signals import Interrupted

    url = url or os.environ.get("ARENA_URL") or announcement(settings).gateway
    try:
        run_house(settings, url, note)
    except Interrupted:
        note("Stopped.")


@click.command()
@data_option
@click.option("--url", help="Gateway to connect to.  [default: ARENA_URL, else this machine's]")
@click.option(
    "--unsafe",
    is_flag=True,
    help="Run bots without a sandbox. Use this only if you wrote them all.",
)
def host(data: Path | None, url: str | None, unsafe: bool) -> None:
    """Run a bot host, which plays hosted bots.

    A bot host builds uploads and runs hosted bots, each in a sandbox. You can run several, on any
    machine. They share the bots. A bot host needs the database, Redis and a gateway.
    """
    settings = _begin("host", data=data)
    from arena.hosting.sandbox.kinds import Unconfined, find_sandbox
    from arena.operations.supervise.machine import announcement
    from arena.service.host.artifacts import usable
    from arena.service.host.serve import serve

    with usable(settings.data):
        settings.data.mkdir(parents=True, exist_ok=True)
    sandbox = Unconfined() if unsafe else find_sandbox(data=settings.data.resolve())
    url = url or os.environ.get("ARENA_URL") or announcement(settings).gateway
    gc_tuning.tune()
    asyncio.run(serve(settings, url, sandbox))
