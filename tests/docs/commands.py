"""Checks that commands in the docs exist, with their options."""

import argparse
import re
import shlex
from collections.abc import Iterable
from itertools import pairwise

import click

from arena.cli.app import arena
from arena.kit.commands import command_of, parser_of
from tests.docs.blocks import ROOT
from tests.lab.commands.root import lab

# Placeholders and optional parts; then only names can be checked.
LAB = "python -m tests.lab"
OPEN = re.compile(r"[\[\]|…]|\.\.\.|\b[A-Z]{2,}\b|\bN\b")
HELP = ["-h", "--help"]


def problems(shown: Iterable[str], *, whole: bool) -> list[str]:
    """Problems of commands `arena ...`, `make ...` or of the laboratory, one line each. If they are
    not `whole`, as in sentences, arguments may be missing."""
    return [f"{line}: {problem}" for line in shown if (problem := _problem(line, whole))]


def targets() -> list[str]:
    """The targets of the Makefile."""
    return re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)


def _problem(line: str, whole: bool) -> str:
    line = re.sub(r"^(\w+=\S+ )+", "", line)
    root: click.Command = lab if line.startswith(f"{LAB} ") else arena
    line = line.replace(LAB, "arena", 1)
    if not re.match(r"(arena|make) ", line):
        return ""
    program, *words = shlex.split(re.sub(r"[\[\]]", " ", line), comments=True)
    if program == "make":
        unknown = [word for word in words if "=" not in word and word not in targets()]
        return f"no target {unknown[0]}" if unknown else ""
    name = command_of(words)
    if name and root is arena:
        return _kit_problem(name, words[len(name.split()) :], whole and not OPEN.search(line))
    try:
        command, rest = _find(root, words)
        problem = _problem_of_options(command, rest)
        return problem or (_parse(command, rest) if whole and not OPEN.search(line) else "")
    except click.ClickException as error:
        return error.format_message()


def _kit_problem(name: str, words: list[str], whole: bool) -> str:
    parser = parser_of(name)
    options = parser._option_string_actions
    for word, following in pairwise([*words, ""]):
        if word.startswith("--") and word not in options:
            return f"{name} has no option {word}"
        choices, offered = options[word].choices if word in options else None, following.split("|")
        if len(offered) > 1 and choices and offered != list(choices):
            return f"{word} is one of {'|'.join(map(str, choices))}"
    try:
        parser.exit_on_error = False
        parser.parse_args(words) if whole and not {"--help", "-h"} & set(words) else None
    except (argparse.ArgumentError, SystemExit) as error:
        return f"{name}: {error}"
    return ""


def _find(command: click.Command, words: list[str]) -> tuple[click.Command, list[str]]:
    """The command named by the first words, and the remaining words."""
    rest = list(words)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        found = command.get_command(click.Context(command), rest[0])
        if found is None:
            raise click.UsageError(f"no command {rest[0]}")
        command, rest = found, rest[1:]
    return command, rest


def _problem_of_options(command: click.Command, words: list[str]) -> str:
    context = click.Context(command, help_option_names=HELP)
    options = {
        spelling: parameter
        for parameter in command.get_params(context)
        for spelling in (*parameter.opts, *parameter.secondary_opts)
    }
    for word, following in pairwise([*words, ""]):
        if not word.startswith("-"):
            continue
        if word not in options:
            return f"{command.name} has no option {word}"
        kind, offered = options[word].type, following.split("|")
        if len(offered) > 1 and isinstance(kind, click.Choice) and offered != list(kind.choices):
            return f"{word} is one of {'|'.join(kind.choices)}"
    return ""


def _parse(command: click.Command, words: list[str]) -> str:
    """Parses the words like the command, without running it."""
    if not isinstance(command, click.Group) and not {"--help", "--version"} & set(words):
        # A command keeps its first help option.
        command.make_context(command.name, list(words), help_option_names=HELP)
    return ""
