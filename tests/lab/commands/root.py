"""The root command `python -m tests.lab`."""

import click

from tests.lab.commands.bench import bench
from tests.lab.commands.simulate import simulate
from tests.lab.commands.train import train


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def lab() -> None:
    """Measure the arena, simulate it, and train its models. Not part of any release."""


lab.add_command(bench)
lab.add_command(simulate)
lab.add_command(train)
