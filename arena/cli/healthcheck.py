"""`arena healthcheck`: whether one process is well, as who runs containers asks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from arena.cli.db import data_option
from arena.cli.screen import say
from arena.service.bootstrap import load_settings

ROLES = ("gateway", "worker", "beat", "dashboard", "house", "host")
SERVED = ("gateway", "dashboard")  # by `arena up`, which looks after its other processes itself
FIRST = Path("/proc/1/cmdline")  # the process that a container is for


@click.command()
@click.argument("role", type=click.Choice(ROLES), required=False)
@data_option
@click.pass_context
def healthcheck(ctx: click.Context, role: str | None, data: Path | None) -> None:
    """Say whether the gateway, worker, ... that runs here is well; exit status 1 if not.

    For the health checks of containers: run it where the process runs, with its ARENA_* variables.
    Without ROLE it is that of the container's own process. `worker` stands for a worker with
    --prompt, too. `arena status` tells of the arena as a whole.

    \b
    Example:
      arena healthcheck gateway
    """
    from arena.operations.doctor.role import examine_role

    settings = load_settings(data=data)
    roles = [role] if role else _of_container()
    findings = [examine_role(each, settings) for each in roles]
    for each, finding in zip(roles, findings, strict=True):
        whose = f"{each}: " if len(roles) > 1 else ""
        say(f"{whose}{finding.sentence} {finding.advice}".strip())
    if not findings:
        say("A command that ends by itself: there is nothing to look after.")
    ctx.exit(0 if all(finding.state == "fine" for finding in findings) else 1)


def _of_container() -> Sequence[str]:
    """The roles of the process with number 1; none of a command that is no role."""
    try:
        # A process that has named itself has blanks between the words.
        words = FIRST.read_text(errors="replace").replace("\0", " ").split()
    except OSError:
        words = []
    names = [Path(word).name for word in words]
    command = names[names.index("arena") + 1 :][:1] if "arena" in names else []
    if not command:
        raise click.UsageError(f"Say whose health it is about: {', '.join(ROLES)}.")
    return SERVED if command == ["up"] else [each for each in ROLES if each in command]
