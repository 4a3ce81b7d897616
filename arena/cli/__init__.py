"""The command line `arena`. One file per group of commands; none of them knows a transport.

app          the root command; author: the commands of the author's kit (arena.kit) among its own
where        finding the arena a command is about; remote is the gRPC twin of the control service
screen       consoles, tables, JSON
progress     the live bar of a tournament
processes    gateway, worker, beat, dashboard, house
healthcheck  how one of these is, for who runs containers
up, demo     everything on one machine
bot, account, tournament, ratings, match
db           makes and upgrades the database
audit_log    who changed what
doctor       looks an installation through
status       how the arena is
probe        whether a process is alive
backup       saves the database to a file, and restores it
"""

from __future__ import annotations

from typing import NoReturn

from arena import gc_tuning
from arena.kit.main import leave


def main() -> NoReturn:
    """Runs the command line; what goes wrong is one sentence on stderr and exit status 2."""
    gc_tuning.begin()
    leave(_run)


def _run() -> int:
    """Like click's own way of running a command, except that Ctrl-C stays what it is."""
    import click

    from arena.cli.app import arena
    from arena.supervise.signals import Interrupted

    try:
        return arena.main(prog_name="arena", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except Interrupted as interrupted:
        return interrupted.status
