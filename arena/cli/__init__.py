"""The command line `arena`. One file per group of commands; none of them knows a transport.

app          the root command; author: the commands of the author's kit (arena.kit) among its own
where        finding the arena a command is about; remote is the gRPC twin of the control service
screen       consoles, tables, JSON
progress     the live bar of a tournament
processes    gateway, worker, beat, dashboard, house
healthcheck  how one of these is, for who runs containers
up, demo     everything on one machine; detach in the background
bot, account, tournament, ratings, match
db           makes and upgrades the database
audit_log    who changed what
doctor       looks an installation through
status       how the arena is
probe        whether a process is alive
backup       saves the database to a file, and restores it
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

from arena.base import gc_tuning
from arena.kit.main import leave

if TYPE_CHECKING:
    from collections.abc import Callable

    import click


def main() -> NoReturn:
    """Runs the command line `arena`; an error is one sentence on stderr and exit status 2."""

    def root() -> click.Command:
        from arena.cli.app import arena

        return arena

    main_of("arena", root)


def main_of(name: str, root: Callable[[], click.Command]) -> NoReturn:
    """Runs a command line as `main` does. `root` imports its command: Ctrl-C may come meanwhile."""
    gc_tuning.begin()
    # gRPC's core writes to stderr past our logs: a line for each broken call, with texts that the
    # caller chooses. It reads this variable when it is imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    leave(lambda: _run(name, root()))


def _run(name: str, command: click.Command) -> int:
    """Like click's own way of running a command, except that Ctrl-C and a broken pipe stay what
    they are: click ends with status 1 when the reader of the output has seen enough."""
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
