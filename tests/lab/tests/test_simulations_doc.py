"""The commands that docs/ratings.md gives for its simulations can be given."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from tests.lab.commands.simulate import simulate

DOC = Path(__file__).parents[3] / "docs" / "ratings.md"
COMMANDS = re.findall(r"^    python -m tests\.lab simulate (.+)$", DOC.read_text(), re.MULTILINE)


def test_there_is_one_for_each_simulation() -> None:
    others = {"faults"}  # which is no matter of statistics: docs/reliability.md
    assert {command.split()[0] for command in COMMANDS} == set(simulate.commands) - others


@pytest.mark.parametrize("command", COMMANDS)
def test_a_documented_command_has_options_that_exist(command: str) -> None:
    name, *arguments = shlex.split(command)

    context = simulate.commands[name].make_context(name, arguments)

    assert isinstance(context, click.Context)
    assert context.params["seed"] == 1
