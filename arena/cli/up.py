"""`arena up`: run a whole arena on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.base import folder
from arena.base.errors import Unavailable
from arena.cli.detach import report_ready, start_detached
from arena.cli.screen import F, note, say
from arena.cli.where import folder_option
from arena.operations.supervise.signals import Interrupted
from arena.service.bootstrap import load_settings

# Slow imports are in functions, because --detach needs none of them.
if TYPE_CHECKING:
    from arena.hosting.sandbox.sandbox import Sandbox
    from arena.operations.supervise.machine import Machine


def port_options(command: F) -> F:
    """Add the options --port and --dashboard-port to a command."""
    port = click.option(
        "--port",
        type=click.IntRange(0, 65535),
        help="Port of the gateway.  [default: ARENA_PORT, else 7420 or a free one]",
    )
    dashboard_port = click.option(
        "--dashboard-port",
        type=click.IntRange(0, 65535),
        help="Port of the dashboard.  [default: ARENA_DASHBOARD_PORT, else 7421 or a free one]",
    )
    return port(dashboard_port(command))


@click.command()
@folder_option("Folder of the database and the logs.  [default: ARENA_DATA or .arena]")
@click.option("--host", help="Address to listen on.  [default: ARENA_HOST or 127.0.0.1]")
@port_options
@click.option(
    "--workers", type=click.IntRange(1), help="Number of worker processes.  [default: one per core]"
)
@click.option(
    "--house-bots/--no-house-bots",
    default=True,
    help="House bots for test matches and games against people: all six, or those in "
    "ARENA_HOUSE_BOTS.",
)
@click.option(
    "--detach",
    is_flag=True,
    help="Return when the arena is ready. It keeps running until `arena down`.",
)
@click.option("--ready-fd", type=int, hidden=True, help="File descriptor that signals readiness.")
@click.pass_context
def up(
    ctx: click.Context,
    data: Path | None,
    host: str | None,
    port: int | None,
    dashboard_port: int | None,
    workers: int | None,
    house_bots: bool,
    detach: bool,
    ready_fd: int | None,
) -> None:
    """Run a whole arena on this machine until Ctrl-C.

    Starts Redis, a gateway, workers, the scheduler, the dashboard and the house bots. With
    --detach, it runs in the background until `arena down`.

    House bots are hosted if this machine has a sandbox. All data is in the data folder. Processes
    that die are restarted. Redis is embedded unless ARENA_REDIS_URL is set, and the database is
    SQLite unless ARENA_DATABASE_URL is set.
    """
    if detach:
        ctx.exit(start_detached(_options(ctx.params)))
    from arena.operations.supervise.house import (
        host_house_bots,
        start_house_bots,
        wanted_house_bots,
    )
    from arena.operations.supervise.machine import machine

    if ready_fd is not None:
        os.set_inheritable(ready_fd, False)
    settings = load_settings(
        data=data, host=host, port=port, dashboard_port=dashboard_port, workers=workers
    )
    if house_bots:
        wanted_house_bots(settings)  # an unknown name fails before anything starts
    note("Starting the arena")
    try:
        with folder.lock(settings.data) as lock, machine(settings, note, lock) as arena:
            introduce(arena, detached=ready_fd is not None)
            sandbox, started = found_sandbox(arena.settings.data), {}
            if house_bots and sandbox:
                started = host_house_bots(arena.settings)
            elif house_bots:
                url = arena.running.gateway
                started = start_house_bots(arena.supervisor, arena.settings, url)
            if sandbox:
                introduce_host(arena, sandbox)
            if house_bots:
                introduce_house_bots(arena, started, hosted=sandbox is not None)
            if ready_fd is not None:
                arena.supervisor.await_ready("worker", "prompt-worker")
                report_ready(ready_fd, folder.logs(arena.settings.data) / "up.log")
            while True:
                arena.supervisor.pause(1.0)
    except Interrupted:
        note("Stopped. The data is kept.")


def _options(params: Mapping[str, Any]) -> list[str]:
    """Return the options of the same command without --detach."""
    named = ("data", "host", "port", "dashboard_port", "workers")
    given = [(name.replace("_", "-"), params[name]) for name in named]
    return [
        *(f"--{name}={value}" for name, value in given if value is not None),
        "--house-bots" if params["house_bots"] else "--no-house-bots",
    ]


def introduce(arena: Machine, *, detached: bool = False) -> None:
    """Print the addresses and the next steps."""
    running, data = arena.running, _relative(arena.settings.data)
    option = folder.option(data)
    say(f"Dashboard        {running.dashboard}")
    say(f"Bots connect to  {running.gateway}    (ARENA_URL)")
    say(f"Logs             {folder.logs(data)}")
    say()
    say(f"Register a bot with `arena bot add NAME{option}`.")
    say(f"Stop the arena with {'' if detached else 'Ctrl-C or '}`arena down{option}`.")


def found_sandbox(data: Path) -> Sandbox | None:
    """Return a sandbox for bots in this folder. Without one, print the reason."""
    from arena.hosting.sandbox.kinds import find_sandbox

    try:
        return find_sandbox(data=data)
    except Unavailable as error:
        note(f"This machine cannot run hosted bots. {error}")
        return None


def introduce_host(arena: Machine, sandbox: Sandbox) -> None:
    """Start a bot host."""
    from arena.operations.supervise import stack

    arena.supervisor.start(stack.host(arena.settings, arena.running.gateway))
    say(f"Hosted bots      each in a sandbox ({sandbox.name}); submit one with `arena bot submit`")


def introduce_house_bots(arena: Machine, started: Mapping[str, int], *, hosted: bool) -> None:
    """Print which house bots have connected."""
    from arena.operations.supervise.house import not_connected
    from arena.operations.supervise.stack import bot_process

    note("Starting the house bots")
    missing = not_connected(arena, started)
    if connected := [name for name in started if name not in missing]:
        say(f"House bots       {', '.join(connected)}")
    for name in missing:
        process = "host" if hosted else bot_process(name)
        log = folder.logs(_relative(arena.settings.data)) / f"{process}.log"
        last = arena.supervisor.last_words(process, 1)
        note(f"{name} is not connected. Last line of {log}: {last or '(empty)'}")


def _relative(data: Path) -> Path:
    return data.relative_to(Path.cwd()) if data.is_relative_to(Path.cwd()) else data
