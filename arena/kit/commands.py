"""The list of the commands, and how to run the author's kit."""

from __future__ import annotations

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
class Entry:
    """A line in the list of commands."""

    module: str
    line: str


# The author's commands, in the order of the help.
COMMANDS = {
    "new": Entry("arena.kit.new.command", "Write a starter bot in Python, Node.js, C++ or Go."),
    "check": Entry("arena.kit.check.command", "Check that a bot follows the protocol."),
    "bot connect": Entry("arena.kit.connect", "Connect a bot and let it play until Ctrl-C."),
    "bot submit": Entry("arena.kit.submissions.submit", "Upload a bot for the arena to host."),
    "bot submissions": Entry("arena.kit.submissions.listing", "List the uploads of a bot."),
    "bot source": Entry("arena.kit.submissions.source", "Download an upload."),
    "bot rollback": Entry("arena.kit.submissions.rollback", "Roll back to an earlier upload."),
    "bot runs": Entry("arena.kit.submissions.runs", "List the process runs of a hosted bot."),
    "bot output": Entry("arena.kit.submissions.output", "Print the output of a process run."),
    "play": Entry("arena.kit.play", "Play bots against each other, or compare two versions."),
    "selfplay": Entry("arena.kit.selfplay", "Write every decision of many matches to Parquet."),
    "views": Entry("arena.kit.views", "Print sample decisions with their legal answers."),
    "debug": Entry("arena.kit.debug", "Repeat a recorded decision under the debugger."),
    "analyse": Entry("arena.kit.analyse", "Review matches, decision by decision."),
    "replay": Entry("arena.kit.replay", "Show recorded matches in the browser."),
    "rules": Entry("arena.kit.rules", "Explain a game, its options and its notation."),
}

# The commands that need the extra `server`; their modules need click.
SERVER = {
    "demo": Entry("arena.cli.demo", "Run a demo: six bots, 600 matches, a leaderboard."),
    "up": Entry("arena.cli.up", "Run a whole arena on this machine."),
    "down": Entry("arena.cli.detach", "Stop a running arena."),
    "bot": Entry("arena.cli.bot", "Register and connect bots."),
    "account": Entry("arena.cli.account", "Manage accounts and appoint organisers."),
    "tournament": Entry("arena.cli.tournament", "Create, watch, cancel and export tournaments."),
    "ratings": Entry("arena.cli.ratings", "Show a leaderboard."),
    "match": Entry("arena.cli.match", "List, show, explain, export and verify matches."),
    "audit-log": Entry("arena.cli.audit_log", "List the actions of organisers and operators."),
    "db": Entry("arena.cli.db", "Create the database or upgrade its schema."),
    "doctor": Entry("arena.cli.doctor", "Find problems in an installation, with advice."),
    "status": Entry("arena.cli.status", "Show the arena's status and problems."),
    "probe": Entry("arena.cli.probe", "Check whether a process of the arena is alive."),
    "backup": Entry("arena.cli.backup", "Save the whole database to a file."),
    "archive": Entry("arena.cli.archive", "Move old months of matches into files, and back."),
    "restore": Entry("arena.cli.backup", "Fill an empty database from a backup."),
    "gateway": Entry("arena.cli.processes", "Run a gateway for bots to connect to."),
    "worker": Entry("arena.cli.processes", "Run a worker, which plays matches."),
    "beat": Entry("arena.cli.processes", "Run the scheduler."),
    "dashboard": Entry("arena.cli.processes", "Run the web dashboard."),
    "host": Entry("arena.cli.processes", "Run a bot host, which plays hosted bots."),
    "house": Entry("arena.cli.processes", "Connect the house bots."),
    "healthcheck": Entry("arena.cli.healthcheck", "Check whether the local process is healthy."),
}


def command_of(words: Sequence[str]) -> str | None:
    """Return the kit's command that these words start with, if any."""
    typed = " ".join(words[:2])
    return next((name for name in COMMANDS if f"{typed} ".startswith(f"{name} ")), None)


def run(name: str, arguments: Sequence[str]) -> int:
    """Run a command and return its exit status. Raises ArenaError; SystemExit for bad arguments."""
    return _module(name).run(parser_of(name).parse_intermixed_args(arguments))


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the argument parser of a command."""
    parser = argparse.ArgumentParser(
        prog=f"arena {name}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _module(name).add_arguments(parser)
    return parser


def _module(name: str) -> Command:
    return cast("Command", importlib.import_module(COMMANDS[name].module))
