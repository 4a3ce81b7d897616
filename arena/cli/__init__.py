"""The command line `arena`, with one module per group of commands.

app          root command; author adds the commands of arena.kit
where        finding the arena of a command; remote is the control service over gRPC
screen       consoles, tables, JSON
progress     live progress of a tournament
processes    gateway, worker, beat, dashboard, host, house; healthcheck and probe check one of them
up, demo     everything on one machine; detach for the background
bot, account, tournament, ratings, match
db, backup, archive
doctor, status, audit_log
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

from arena.kit.main import leave

if TYPE_CHECKING:
    from collections.abc import Callable

    import click


def main() -> NoReturn:
    """Run `arena`. An error is one line on stderr and exit status 2."""

    def root() -> click.Command:
        from arena.cli.app import arena

        return arena

    main_of("arena", root)


def main_of(name: str, root: Callable[[], click.Command]) -> NoReturn:
    """Run a command line as `main` does. `root` imports the command, so that Ctrl-C is handled."""
    # Set before importing gRPC, which would print a line with the caller's text per broken call.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    leave(lambda: _run(name, root()))


def _run(name: str, command: click.Command) -> int:
    """Run a command like click, but leave Ctrl-C and broken pipes to the caller, for which click
    would exit with status 1."""
    import click
    from click.exceptions import Exit

    from arena.operations.supervise.signals import Interrupted

    try:
        with command.make_context(name, sys.argv[1:]) as context:
            return command.invoke(context) or 0
    except Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except Interrupted as interrupted:
        return interrupted.status
