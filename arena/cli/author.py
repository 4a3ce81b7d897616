"""Adapter from the commands of the author's kit to click."""

import click

from arena.kit.commands import COMMANDS, run


def author_command(name: str) -> click.Command:
    """Return a command of the kit, which parses its own arguments."""

    @click.command(
        name.rpartition(" ")[2],
        short_help=COMMANDS[name].line,
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    )
    @click.argument("words", nargs=-1, type=click.UNPROCESSED)
    @click.pass_context
    def command(context: click.Context, /, words: tuple[str, ...]) -> None:
        context.exit(run(name, words))

    return command
