"""The commands of `arena`, and how one of the author's is run."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast


class Command(Protocol):
    """What the module of a command has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Describes the command: its arguments, its description, an example as its epilog."""

    def run(self, args: argparse.Namespace) -> int:
        """Does what was asked for; returns the exit status. Raises ArenaError."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line in the list of commands."""

    module: str
    line: str


# The author's commands, by the words that name them, in the order of the list.
COMMANDS = {
    "new": Entry("arena.kit.new.command", "Write a small bot to begin with, in several languages."),
    "check": Entry("arena.kit.check.command", "Check that a bot keeps to the contract."),
    "bot connect": Entry("arena.kit.connect", "Connect a bot and let it play until Ctrl-C."),
    "bot submit": Entry("arena.kit.submissions.submit", "Upload a bot that the arena hosts."),
    "bot submissions": Entry("arena.kit.submissions.listing", "List what was uploaded for a bot."),
    "bot source": Entry("arena.kit.submissions.source", "Fetch what was uploaded."),
    "bot rollback": Entry("arena.kit.submissions.rollback", "Go back to an earlier upload."),
    "bot runs": Entry("arena.kit.submissions.runs", "List the runs of a hosted bot's processes."),
    "bot output": Entry("arena.kit.submissions.output", "Print what a hosted bot wrote in a run."),
    "play": Entry("arena.kit.play", "Play bots against each other, compare two versions."),
    "selfplay": Entry("arena.kit.selfplay", "Write every decision of many matches as Parquet."),
    "views": Entry("arena.kit.views", "Print decisions with their legal answers, for tests."),
    "debug": Entry("arena.kit.debug", "Ask a bot once more for a decision, under the debugger."),
    "analyse": Entry("arena.kit.analyse", "Review matches: what each decision was worth."),
    "replay": Entry("arena.kit.replay", "Show recorded matches in the browser."),
    "rules": Entry("arena.kit.rules", "Explain a game, its options and its notation."),
}

# The commands that need the extra `server`; their modules need click.
SERVER = {
    "demo": Entry("arena.cli.demo", "Show it all: six bots, 600 matches, a rating table."),
    "up": Entry("arena.cli.up", "Run a whole arena on this machine."),
    "down": Entry("arena.cli.detach", "Stop the arena that runs in a folder."),
    "bot": Entry("arena.cli.bot", "Register and connect bots."),
    "account": Entry("arena.cli.account", "Make accounts, appoint organisers."),
    "tournament": Entry("arena.cli.tournament", "Create, watch, cancel, export tournaments."),
    "ratings": Entry("arena.cli.ratings", "Show a rating table."),
    "match": Entry("arena.cli.match", "List, show, explain, export and verify matches."),
    "audit-log": Entry("arena.cli.audit_log", "List what organisers and administrators did."),
    "db": Entry("arena.cli.db", "Make the database, bring its schema up to date."),
    "doctor": Entry("arena.cli.doctor", "Check an installation: what is wrong, what to do."),
    "status": Entry("arena.cli.status", "Show the arena's status, and what is wrong."),
    "probe": Entry("arena.cli.probe", "Say whether a process of the arena is alive."),
    "backup": Entry("arena.cli.backup", "Save everything in the database to a file."),
    "archive": Entry("arena.cli.archive", "Move old months of matches into files, and back."),
    "restore": Entry("arena.cli.backup", "Fill an empty database from such a file."),
    "gateway": Entry("arena.cli.processes", "Run a gateway, which bots connect to."),
    "worker": Entry("arena.cli.processes", "Run a worker, which plays matches."),
    "beat": Entry("arena.cli.processes", "Run the clock that looks after tournaments."),
    "dashboard": Entry("arena.cli.processes", "Run the web dashboard."),
    "host": Entry("arena.cli.processes", "Run a host, which plays hosted bots."),
    "house": Entry("arena.cli.processes", "Have the house's bots connected."),
    "healthcheck": Entry("arena.cli.healthcheck", "Say whether this machine's process is well."),
}


def command_of(words: Sequence[str]) -> str | None:
    """The command that these words begin with, if it is one of the kit's."""
    said = " ".join(words[:2])
    return next((name for name in COMMANDS if f"{said} ".startswith(f"{name} ")), None)


def run(name: str, arguments: Sequence[str]) -> int:
    """Runs a command; returns its exit status. Raises ArenaError; SystemExit for bad arguments."""
    return _module(name).run(parser_of(name).parse_intermixed_args(arguments))


def parser_of(name: str) -> argparse.ArgumentParser:
    """What parses the arguments of a command."""
    parser = argparse.ArgumentParser(
        prog=f"arena {name}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _module(name).add_arguments(parser)
    return parser


def _module(name: str) -> Command:
    return cast("Command", importlib.import_module(COMMANDS[name].module))
