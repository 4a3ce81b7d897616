"""The commands that the benchmarks page gives for its simulations exist."""

import re
import shlex
from pathlib import Path

import click
import pytest

from tests.lab.commands.simulate import simulate

PAGE = Path(__file__).parents[3] / "docs" / "contributing" / "benchmarks.md"
STATISTICS = PAGE.read_text().partition("\n## Statistics\n")[2].partition("\n## ")[0]
COMMANDS = re.findall(r"^    python -m tests\.lab simulate (.+)$", STATISTICS, re.MULTILINE)


def test_every_statistical_simulation_has_a_command() -> None:
    others = {"faults"}  # under Reliability
    assert {command.split()[0] for command in COMMANDS} == set(simulate.commands) - others


@pytest.mark.parametrize("command", COMMANDS)
def test_a_documented_command_has_options_that_exist(command: str) -> None:
    name, *arguments = shlex.split(command)

    context = simulate.commands[name].make_context(name, arguments)

    assert isinstance(context, click.Context)
    assert context.params["seed"] == 1
