"""`arena healthcheck`: check one local process, for the health checks of containers."""

from collections.abc import Sequence
from pathlib import Path

import click

from arena.cli.screen import say
from arena.cli.where import data_option
from arena.service.bootstrap import load_settings

ROLES = ("gateway", "worker", "beat", "dashboard", "house", "host")
SERVED = ("gateway", "dashboard")  # by `arena up`, which supervises its other processes
FIRST = Path("/proc/1/cmdline")  # the container's main process


@click.command()
@click.argument("role", type=click.Choice(ROLES), required=False)
@data_option
@click.pass_context
def healthcheck(ctx: click.Context, role: str | None, data: Path | None) -> None:
    """Check whether the local process is healthy.

    For the health checks of containers: run it next to the process, with the same ARENA_*
    variables. Without a role, it checks the container's main process. `worker` includes workers
    with --prompt. For the arena as a whole, use `arena status`. Exit status 1 if unhealthy.

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
        say("This container runs a one-off command. There is nothing to check.")
    ctx.exit(0 if all(finding.state == "fine" for finding in findings) else 1)


def _of_container() -> Sequence[str]:
    """Return the roles of process 1; none if it runs another command."""
    try:
        # A process that has set its title has spaces between the words.
        words = FIRST.read_text(errors="replace").replace("\0", " ").split()
    except OSError:
        words = []
    names = [Path(word).name for word in words]
    command = names[names.index("arena") + 1 :][:1] if "arena" in names else []
    if not command:
        raise click.UsageError(f"Specify a role: {', '.join(ROLES)}.")
    return SERVED if command == ["up"] else [each for each in ROLES if each in command]
