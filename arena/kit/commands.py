"""The list of the commands, and how to run the author's kit."""

import argparse
import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import NamedTuple


class CommandEntry(NamedTuple):
    """A line in the list of commands. A module of the kit has `add_arguments(parser)` and
    `run(args)`, which returns the exit status and raises ArenaError."""

    module: str
    line: str


def _entries(package: str, lines: Mapping[str, tuple[str, str]]) -> Mapping[str, CommandEntry]:
    return {
        name: CommandEntry(f"{package}.{module}", line) for name, (module, line) in lines.items()
    }


# The author's commands, in the order of the help.
COMMANDS = _entries(
    "arena.kit",
    {
        "new": ("new.command", "Write a starter bot in Python, Node.js, C++ or Go."),
        "check": ("check.command", "Check that a bot follows the protocol."),
        "bot connect": ("connect", "Connect a bot and let it play until Ctrl-C."),
        "bot submit": ("submissions.submit", "Upload a bot for the arena to host."),
        "bot submissions": ("submissions.listing", "List the uploads of a bot."),
        "bot source": ("submissions.source", "Download an upload."),
        "bot rollback": ("submissions.rollback", "Roll back to an earlier upload."),
        "bot runs": ("submissions.runs", "List the process runs of a hosted bot."),
        "bot output": ("submissions.output", "Print the output of a process run."),
        "play": ("play.options", "Play bots against each other, or compare two versions."),
        "selfplay": ("selfplay.options", "Write every decision of many matches to Parquet."),
        "views": ("views", "Print sample decisions with their legal answers."),
        "debug": ("debug", "Repeat a recorded decision under the debugger."),
        "analyse": ("analyse", "Review matches, decision by decision."),
        "replay": ("replay", "Show recorded matches in the browser."),
        "rules": ("rules", "Explain a game, its options and its notation."),
    },
)

# The commands that need the extra `server`; their modules need click.
SERVER = _entries(
    "arena.cli",
    {
        "demo": ("demo", "Run a demo: six bots, 600 matches, a leaderboard."),
        "up": ("up", "Run a whole arena on this machine."),
        "down": ("detach", "Stop a running arena."),
        "bot": ("bot", "Register and connect bots."),
        "account": ("account", "Manage accounts and appoint organisers."),
        "tournament": ("tournament", "Create, watch, cancel and export tournaments."),
        "ratings": ("ratings", "Show a leaderboard."),
        "match": ("match", "List, show, explain, export and verify matches."),
        "audit-log": ("audit_log", "List the actions of organisers and operators."),
        "db": ("db", "Create the database or upgrade its schema."),
        "doctor": ("doctor", "Find problems in an installation, with advice."),
        "status": ("status", "Show the arena's status and problems."),
        "probe": ("probe", "Check whether a process of the arena is alive."),
        "backup": ("backup", "Save the whole database to a file."),
        "archive": ("archive", "Move old months of matches into files, and back."),
        "restore": ("backup", "Fill an empty database from a backup."),
        "gateway": ("processes", "Run a gateway for bots to connect to."),
        "worker": ("processes", "Run a worker, which plays matches."),
        "beat": ("processes", "Run the scheduler."),
        "dashboard": ("processes", "Run the web dashboard."),
        "host": ("processes", "Run a bot host, which plays hosted bots."),
        "house": ("processes", "Connect the house bots."),
        "healthcheck": ("healthcheck", "Check whether the local process is healthy."),
    },
)


def command_of(words: Sequence[str]) -> str | None:
    """Return the kit's command that these words start with, if any."""
    typed = " ".join(words[:2])
    return next((name for name in COMMANDS if f"{typed} ".startswith(f"{name} ")), None)


def run(name: str, arguments: Sequence[str]) -> int:
    """Run a command and return its exit status. Raises ArenaError; SystemExit for bad arguments."""
    status: int = _module(name).run(parser_of(name).parse_intermixed_args(arguments))
    return status


def parser_of(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"arena {name}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _module(name).add_arguments(parser)
    return parser


def _module(name: str) -> ModuleType:
    return importlib.import_module(COMMANDS[name].module)
