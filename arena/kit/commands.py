"""The list of the commands, and how to run the author's kit."""

import argparse
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast


class Command(Protocol):
    """The interface of a command's module."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments, the description and an example."""

    def run(self, args: argparse.Namespace) -> int:
        """Run the command and return the exit status. Raises ArenaError."""


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A line in the list of commands."""

    module: str
    line: str


# The author's commands, in the order of the help.
COMMANDS = {
    "new": CommandEntry(
        "arena.kit.new.command", "Write a starter bot in Python, Node.js, C++ or Go."
    ),
    "check": CommandEntry("arena.kit.check.command", "Check that a bot follows the protocol."),
    "bot connect": CommandEntry("arena.kit.connect", "Connect a bot and let it play until Ctrl-C."),
    "bot submit": CommandEntry(
        "arena.kit.submissions.submit", "Upload a bot for the arena to host."
    ),
    "bot submissions": CommandEntry("arena.kit.submissions.listing", "List the uploads of a bot."),
    "bot source": CommandEntry("arena.kit.submissions.source", "Download an upload."),
    "bot rollback": CommandEntry(
        "arena.kit.submissions.rollback", "Roll back to an earlier upload."
    ),
    "bot runs": CommandEntry(
        "arena.kit.submissions.runs", "List the process runs of a hosted bot."
    ),
    "bot output": CommandEntry(
        "arena.kit.submissions.output", "Print the output of a process run."
    ),
    "play": CommandEntry(
        "arena.kit.play.options", "Play bots against each other, or compare two versions."
    ),
    "selfplay": CommandEntry(
        "arena.kit.selfplay.options", "Write every decision of many matches to Parquet."
    ),
    "views": CommandEntry("arena.kit.views", "Print sample decisions with their legal answers."),
    "debug": CommandEntry("arena.kit.debug", "Repeat a recorded decision under the debugger."),
    "analyse": CommandEntry("arena.kit.analyse", "Review matches, decision by decision."),
    "replay": CommandEntry("arena.kit.replay", "Show recorded matches in the browser."),
    "rules": CommandEntry("arena.kit.rules", "Explain a game, its options and its notation."),
}

# The commands that need the extra `server`; their modules need click.
SERVER = {
    "demo": CommandEntry("arena.cli.demo", "Run a demo: six bots, 600 matches, a leaderboard."),
    "up": CommandEntry("arena.cli.up", "Run a whole arena on this machine."),
    "down": CommandEntry("arena.cli.detach", "Stop a running arena."),
    "bot": CommandEntry("arena.cli.bot", "Register and connect bots."),
    "account": CommandEntry("arena.cli.account", "Manage accounts and appoint organisers."),
    "tournament": CommandEntry(
        "arena.cli.tournament", "Create, watch, cancel and export tournaments."
    ),
    "ratings": CommandEntry("arena.cli.ratings", "Show a leaderboard."),
    "match": CommandEntry("arena.cli.match", "List, show, explain, export and verify matches."),
    "audit-log": CommandEntry(
        "arena.cli.audit_log", "List the actions of organisers and operators."
    ),
    "db": CommandEntry("arena.cli.db", "Create the database or upgrade its schema."),
    "doctor": CommandEntry("arena.cli.doctor", "Find problems in an installation, with advice."),
    "status": CommandEntry("arena.cli.status", "Show the arena's status and problems."),
    "probe": CommandEntry("arena.cli.probe", "Check whether a process of the arena is alive."),
    "backup": CommandEntry("arena.cli.backup", "Save the whole database to a file."),
    "archive": CommandEntry(
        "arena.cli.archive", "Move old months of matches into files, and back."
    ),
    "restore": CommandEntry("arena.cli.backup", "Fill an empty database from a backup."),
    "gateway": CommandEntry("arena.cli.processes", "Run a gateway for bots to connect to."),
    "worker": CommandEntry("arena.cli.processes", "Run a worker, which plays matches."),
    "beat": CommandEntry("arena.cli.processes", "Run the scheduler."),
    "dashboard": CommandEntry("arena.cli.processes", "Run the web dashboard."),
    "host": CommandEntry("arena.cli.processes", "Run a bot host, which plays hosted bots."),
    "house": CommandEntry("arena.cli.processes", "Connect the house bots."),
    "healthcheck": CommandEntry(
        "arena.cli.healthcheck", "Check whether the local process is healthy."
    ),
}


def command_of(words: Sequence[str]) -> str | None:
    """Return the kit's command that these words start with, if any."""
    typed = " ".join(words[:2])
    return next((name for name in COMMANDS if f"{typed} ".startswith(f"{name} ")), None)


def run(name: str, arguments: Sequence[str]) -> int:
    """Run a command and return its exit status. Raises ArenaError; SystemExit for bad arguments."""
    return _module(name).run(parser_of(name).parse_intermixed_args(arguments))


def parser_of(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"arena {name}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _module(name).add_arguments(parser)
    return parser


def _module(name: str) -> Command:
    return cast("Command", importlib.import_module(COMMANDS[name].module))
