"""`arena gateway`, `worker`, `beat`, `dashboard`, `host`, `house`: one process each.

They are set up by ARENA_* variables; the options here say the same.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from arena.base import gc_tuning, liveness, tracing
from arena.base.config import Settings
from arena.base.logs import setup_logs
from arena.service.bootstrap import environment, load_settings

data_option = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the embedded database.  [default: ARENA_DATA or .arena]",
)
host_option = click.option("--host", help="Address to listen on.  [default: ARENA_HOST]")


def _begin(process: str, **values: object) -> Settings:
    settings = load_settings(**values)
    # What reads the settings anew, as Celery's processes do, finds the same.
    os.environ.update(environment(settings))
    setup_logs(settings, process)
    liveness.begin(settings.liveness_file)
    tracing.configure(process, settings.trace_share)
    return settings


@click.command()
@data_option
@host_option
@click.option("--port", type=click.IntRange(0, 65535), help="  [default: ARENA_PORT or 7420]")
def gateway(data: Path | None, host: str | None, port: int | None) -> None:
    """Run a gateway, which bots connect to.

    As many as you like may share the same database and Redis (ARENA_DATABASE_URL,
    ARENA_REDIS_URL), on one machine or several.
    """
    settings = _begin("gateway", data=data, host=host, port=port)
    from arena.service.gateway.server import serve

    gc_tuning.tune()
    asyncio.run(serve(settings))


@click.command()
@data_option
@click.option(
    "--workers", type=click.IntRange(1), help="Processes.  [default: ARENA_WORKERS, one per core]"
)
@click.option(
    "--prompt",
    is_flag=True,
    help="Only what somebody sits and waits for: test matches, people's tables, beginnings.",
)
@click.option(
    "--review", is_flag=True, help="Only reviews of matches and their luck, one at a time."
)
def worker(data: Path | None, workers: int | None, prompt: bool, review: bool) -> None:
    """Run a worker, which plays matches on all cores.

    Where tournaments keep the workers busy, run one more with --prompt: it is always free for
    what somebody waits for. One with --review makes the reviews of matches that visitors ask
    for, and calculates the luck of matches, which others never do; without it both wait.
    """
    if prompt and review:
        raise click.UsageError("Give one of --prompt and --review.")
    settings = _begin("worker", data=data, workers=workers)
    from workers.setup.run import run_worker

    run_worker(settings, prompt=prompt, review=review)


@click.command()
@data_option
def beat(data: Path | None) -> None:
    """Run the clock that looks after tournaments; exactly one per arena."""
    settings = _begin("beat", data=data)
    from workers.setup.run import run_beat

    run_beat(settings)


@click.command()
@data_option
@host_option
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="  [default: ARENA_DASHBOARD_PORT or 7421]",
)
def dashboard(data: Path | None, host: str | None, port: int | None) -> None:
    """Run the web dashboard."""
    settings = _begin("dashboard", data=data, host=host, dashboard_port=port)
    from dashboard import serve

    serve(settings)


@click.command()
@data_option
@click.option(
    "--url", help="The gateway they connect to.  [default: ARENA_URL, else this machine's]"
)
def house(data: Path | None, url: str | None) -> None:
    """Have the house's bots connected, to a gateway anywhere.

    All six, or those that ARENA_HOUSE_BOTS names. They are registered in the database, with new
    tokens each time. If several such processes run, one has the bots connected and the others
    take over when it ends.
    """
    settings = _begin("house", data=data)
    from arena.cli.screen import note
    from arena.operations.supervise.house_process import run_house
    from arena.operations.supervise.machine import announcement
    from arena.operations.supervise.signals import Interrupted

    url = url or os.environ.get("ARENA_URL") or announcement(settings).gateway
    try:
        run_house(settings, url, note)
    except Interrupted:
        note("Stopped.")


@click.command()
@data_option
@click.option("--url", help="The gateway to connect to.  [default: ARENA_URL, else this machine's]")
@click.option(
    "--unsafe",
    is_flag=True,
    help="Without a sandbox, on a machine that has none: only for bots that are all your own.",
)
def host(data: Path | None, url: str | None, unsafe: bool) -> None:
    """Run a host, which builds what authors submit and plays hosted bots, each in a sandbox.

    As many as you like, on any machine; each takes its share of the bots. It needs the database,
    Redis and a gateway.
    """
    settings = _begin("host", data=data)
    from arena.hosting.sandbox import find_sandbox
    from arena.hosting.sandbox.unconfined import Unconfined
    from arena.operations.supervise.machine import announcement
    from arena.service.host.serve import serve

    settings.data.mkdir(parents=True, exist_ok=True)
    sandbox = Unconfined() if unsafe else find_sandbox(data=settings.data.resolve())
    url = url or os.environ.get("ARENA_URL") or announcement(settings).gateway
    gc_tuning.tune()
    asyncio.run(serve(settings, url, sandbox))
