"""Runs of the fault tests, for `make chaos` and `make hosts-test`."""

import logging
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click
import structlog

from arena.base.errors import ArenaError
from arena.operations.supervise.signals import Interrupted
from tests.chaos import table
from tests.chaos.deployment import Deployment
from tests.chaos.faults import Fault
from tests.chaos.trial import attempt


def in_a_folder(prefix: str, work: Callable[[Path], bool]) -> None:
    """Runs the work in a temporary folder; it returns whether all checks passed. After a failure,
    keeps the folder, prints the place of its logs, and exits with status 1."""
    # Requests for the status log every failure.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        sound = work(folder)
    except ArenaError as error:
        raise click.ClickException(f"{error}\nThe logs are in {folder / 'logs'}.") from None
    except Interrupted as interrupted:
        shutil.rmtree(folder)
        sys.exit(interrupted.status)
    if not sound:
        click.echo(
            f"Something broke a promise. The logs of all processes are in {folder / 'logs'}."
        )
        sys.exit(1)
    shutil.rmtree(folder)


def try_one(arena: Deployment, fault: Fault, pace: float) -> bool:
    """Tries a fault and prints its line; `pace` is in matches per second. Returns whether all
    checks passed."""
    trial = attempt(arena, fault, pace)
    click.echo(table.row(trial))
    for sentence in table.complaints(trial):
        click.echo(f"  {sentence}")
    return trial.held
