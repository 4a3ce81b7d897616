"""`arena healthcheck`: whether one process is well, as who runs containers asks."""

from __future__ import annotations

from pathlib import Path

import click

from arena.bootstrap import load_settings
from arena.cli.db import data_option
from arena.cli.screen import say

ROLES = ("gateway", "worker", "beat", "dashboard", "house")


@click.command()
@click.argument("role", type=click.Choice(ROLES))
@data_option
@click.pass_context
def healthcheck(ctx: click.Context, role: str, data: Path | None) -> None:
    """Say whether the gateway, worker, ... that runs here is well; exit status 1 if not.

    For the health checks of containers: run it where the process runs, with its ARENA_* variables.
    `worker` stands for a worker with --prompt, too. `arena status` tells of the arena as a whole.

    \b
    Example:
      arena healthcheck gateway
    """
    from arena.doctor.role import examine_role

    finding = examine_role(role, load_settings(data=data))
    say(f"{finding.sentence} {finding.advice}".strip())
    ctx.exit(0 if finding.state == "fine" else 1)
