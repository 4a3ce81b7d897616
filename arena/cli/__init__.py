"""The command line `arena`. One file per group of commands; none of them knows a transport.

app          the root command
where        finding the arena a command is about; remote is the gRPC twin of the control service
screen       consoles, tables, JSON
progress     the live bar of a tournament
processes    gateway, worker, beat, dashboard
up, demo     everything on one machine
bot, account, tournament, ratings, match
db           makes and upgrades the database
audit_log    who changed what
doctor       looks an installation through
status       how the arena is
backup       saves the database to a file, and restores it
"""

from __future__ import annotations

import sys
from typing import NoReturn

from arena.errors import ArenaError

FAILED = 2
INTERRUPTED = 130


def main() -> NoReturn:
    """Runs the command line; what goes wrong is one sentence on stderr and exit status 2."""
    try:
        sys.exit(_run())
    except ArenaError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output (head, less) has seen enough. Nothing may be flushed to it.
        sys.stderr.close()
        sys.exit(0)


def _run() -> int:
    """Like click's own way of running a command, except that Ctrl-C stays what it is."""
    import click

    from arena.cli.app import arena

    try:
        return arena.main(prog_name="arena", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
