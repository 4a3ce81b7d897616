"""The root command. Each group is imported when it is used: `arena --help` need not wait."""

from __future__ import annotations

import importlib
from typing import ClassVar

import click

from arena import __version__, compiled
from arena.cli.author import author_command
from arena.kit.commands import COMMANDS as KIT


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own."""

    # Command: module and what its line in the list says. In the order they are listed.
    COMMANDS: ClassVar[dict[str, tuple[str, str]]] = {
        "demo": ("arena.cli.demo", "Show it all: six bots, 600 matches, a rating table."),
        "up": ("arena.cli.up", "Run a whole arena on this machine."),
        "bot": ("arena.cli.bot", "Register and connect bots."),
        "account": ("arena.cli.account", "Make accounts, appoint organisers."),
        "tournament": ("arena.cli.tournament", "Create, watch, cancel, export tournaments."),
        "ratings": ("arena.cli.ratings", "Show a rating table."),
        "match": ("arena.cli.match", "List, show, explain, export and verify matches."),
        "audit-log": ("arena.cli.audit_log", "List what organisers and administrators did."),
        "db": ("arena.cli.db", "Make the database, bring its schema up to date."),
        "doctor": ("arena.cli.doctor", "Check an installation: what is wrong, what to do."),
        "status": ("arena.cli.status", "Show the arena's status, and what is wrong."),
        "probe": ("arena.cli.probe", "Say whether a process of the arena is alive."),
        "backup": ("arena.cli.backup", "Save everything in the database to a file."),
        "archive": ("arena.cli.archive", "Move old months of matches into files, and back."),
        "restore": ("arena.cli.backup", "Fill an empty database from such a file."),
        "gateway": ("arena.cli.processes", "Run a gateway, which bots connect to."),
        "worker": ("arena.cli.processes", "Run a worker, which plays matches."),
        "beat": ("arena.cli.processes", "Run the clock that looks after tournaments."),
        "dashboard": ("arena.cli.processes", "Run the web dashboard."),
        "host": ("arena.cli.processes", "Run a host, which plays hosted bots."),
        "house": ("arena.cli.processes", "Have the house's bots connected."),
        "healthcheck": ("arena.cli.healthcheck", "Say whether this machine's process is well."),
        "capacity": ("arena.cli.capacity", "What so many bots and matches a day need."),
        "simulate": ("arena.cli.simulate", "Check the statistics on bots of known strength."),
        "bench": ("arena.cli.bench", "Measure this code on this machine."),
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, the ones for newcomers first."""
        return [*self.COMMANDS, *self._authors()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the command's module, which has an object of its name."""
        if cmd_name in self._authors():
            return author_command(cmd_name)
        if cmd_name not in self.COMMANDS:
            return None
        module = importlib.import_module(self.COMMANDS[cmd_name][0])
        command = getattr(module, cmd_name.replace("-", "_"))
        if not isinstance(command, click.Command):
            raise TypeError(f"{cmd_name} is not a command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without importing any."""
        with formatter.section("Commands for authors of bots"):
            formatter.write_dl([(name, KIT[name].line) for name in self._authors()])
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.COMMANDS.items()])

    def _authors(self) -> list[str]:
        """The kit's commands that belong to no group."""
        return [name for name in KIT if " " not in name]


def print_version(context: click.Context) -> None:
    """What runs here."""
    click.echo(f"lama-arena {__version__}, {compiled.description()}")
    context.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, asked: print_version(context) if asked else None,
    help="Show the version, and whether the rules are compiled.",
)
def arena() -> None:
    """A tournament and bot arena for the L.A.M.A. family of games.

    \b
    A first look, with everything included:
      arena demo

    \b
    Your own arena and your own bot:
      arena up                                  in one terminal
      arena bot add mybot                       prints a token
      ARENA_TOKEN=lama_... arena bot connect mybot.py:MyBot
      arena tournament new mybot rival third fourth --watch
      arena ratings

    Commands that look at an arena or change it find it by --data DIR (a folder on this machine,
    .arena if nothing is said) or by ARENA_URL and ARENA_ADMIN_TOKEN (an arena anywhere).
    """
