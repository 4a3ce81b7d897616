"""The command line `arena`. One file per group of commands; none of them knows a transport.

app          the root command
where        finding the arena a command is about; remote is the gRPC twin of the control service
screen       consoles, tables, JSON
progress     the live bar of a tournament
processes    gateway, worker, beat, dashboard
up, demo     everything on one machine
bot, tournament, ratings, match
"""

from __future__ import annotations

import sys

from arena.errors import ArenaError

FAILED = 2
INTERRUPTED = 130


def main() -> None:
    """Runs the command line; what goes wrong is one sentence on stderr and exit status 2."""
    from arena.cli.app import arena

    try:
        arena(prog_name="arena")
    except ArenaError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output (head, less) has seen enough. Nothing may be flushed to it.
        sys.stderr.close()
        sys.exit(0)
