"""Fault injection into a real arena: `python -m tests.chaos`, or `make chaos`.

An arena of two hosts runs on this machine: Redis, PostgreSQL, two gateways, two workers, beat and
honest bots. After every fault, each match must be stored exactly once, no bot may be blamed, and
play must recover within 15 s (30 s for all faults at once). Prints a line for each fault and exits
with 1 if a check failed. All processes end with the command, even after Ctrl-C.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from tests.chaos import table
from tests.chaos.deployment import deployment
from tests.chaos.faults import FAULTS, Fault, lacking
from tests.chaos.hosts import isolate
from tests.chaos.run import in_a_folder, try_one
from tests.chaos.trial import measure_pace


@click.command(help=__doc__)
@click.option("--only", multiple=True, metavar="WORDS", help="Faults whose names contain this.")
@click.option("--long", is_flag=True, help="All faults, up to a minute each: in some 15 minutes.")
def main(only: tuple[str, ...], long: bool) -> None:
    faults = [fault for fault in FAULTS if _chosen(fault, only, long)]
    if not faults:
        names = ", ".join(dict.fromkeys(fault.name for fault in FAULTS))
        raise click.UsageError(f"There is no such fault. There are: {names}.")
    isolate(sys.argv[1:])
    in_a_folder("arena-chaos-", lambda folder: try_all(folder, faults))


def try_all(folder: Path, faults: Sequence[Fault]) -> bool:
    """Tries faults in sequence on one arena and prints the table. Returns whether all
    checks passed."""
    sound = True
    with deployment(folder) as arena:
        pace = measure_pace(arena)
        click.echo(f"{pace:.0f} matches a second before any fault.\n\n{table.heading()}")
        for fault in faults:
            if lacking(fault, arena):
                click.echo(table.not_tried(fault))
                continue
            sound = try_one(arena, fault, pace) and sound
    return sound


def _chosen(fault: Fault, words: Sequence[str], long: bool) -> bool:
    if words:
        return any(word in fault.name for word in words)
    return long or fault.in_short


if __name__ == "__main__":
    main()
