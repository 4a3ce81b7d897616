"""The root command. Groups are imported on use, so that `arena --help` is fast."""

import importlib

import click

from arena import __version__
from arena.base import compiled
from arena.cli.author import author_command
from arena.kit.commands import COMMANDS as KIT
from arena.kit.commands import SERVER


class LazyGroup(click.Group):
    """A group that imports each command from its own module."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands, those for newcomers first."""
        return [*SERVER, *self._authors()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command from its module."""
        if cmd_name in self._authors():
            return author_command(cmd_name)
        if cmd_name not in SERVER:
            return None
        module = importlib.import_module(SERVER[cmd_name].module)
        command = getattr(module, cmd_name.replace("-", "_"))
        if not isinstance(command, click.Command):
            raise TypeError(f"{cmd_name} is not a command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands for bot authors"):
            formatter.write_dl([(name, KIT[name].line) for name in self._authors()])
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.line) for name, entry in SERVER.items()])

    def _authors(self) -> list[str]:
        """Return the kit's commands outside any group."""
        return [name for name in KIT if " " not in name]


def print_version(context: click.Context) -> None:
    click.echo(f"lama-arena {__version__}, {compiled.description()}")
    context.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, asked: print_version(context) if asked else None,
    help="Show the version and whether the rules are compiled.",
)
def arena() -> None:
    """Run tournaments and bots for the L.A.M.A. family of games.

    \b
    A first look:
      arena demo

    \b
    Your own arena and your own bot:
      arena up --detach                         returns when it is ready
      arena bot add mybot                       prints a token
      ARENA_TOKEN=lama_... arena bot connect mybot.py:MyBot
      arena tournament new mybot rival third fourth --watch
      arena ratings
      arena down

    Commands use the local arena in --data DIR (default: .arena), or a remote one at ARENA_URL with
    ARENA_ADMIN_TOKEN.
    """
