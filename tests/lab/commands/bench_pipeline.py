"""`bench pipeline`: decisions per second of a whole arena."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING

import click

from arena.cli.screen import note, print_table, say
from tests.lab.commands.figures import json_option, print_json

if TYPE_CHECKING:
    from tests.lab.bench.comparison import Row

COLUMNS = ("load", "decisions/s", "spread", "of the wire", "µs a decision", "matches/s")


@click.command()
@click.option(
    "--matches",
    type=click.IntRange(1),
    default=6000,
    show_default=True,
    help="Matches of each measurement.",
)
@click.option(
    "--in-flight",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Matches in flight together.",
)
@click.option(
    "--workers", type=click.IntRange(1), default=2, show_default=True, help="Worker processes."
)
@click.option(
    "--turns",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Interleaved repetitions of each measurement.",
)
@click.option(
    "--single-matches",
    type=click.IntRange(1),
    default=80,
    show_default=True,
    help="Matches that are played one decision at a time.",
)
@json_option
def pipeline(
    matches: int, in_flight: int, workers: int, turns: int, single_matches: int, as_json: bool
) -> None:
    """Measure decisions per second of a whole arena.

    Four trivial bots play LAMA, with and without luck calculation, in interleaved turns. "the wire"
    sends the same bytes in the same messages between as many processes, through gRPC and Redis
    only. "of the wire" is the share of its decisions/s that the arena reaches. µs are CPU time of
    all processes.
    """
    from tests.lab.bench.comparison import compare

    rows = compare(matches, in_flight, workers, turns, single_matches, note)
    if as_json:
        print_json(loads=[_figures(row) for row in rows])
        return
    print_table(COLUMNS, map(_cells, rows), left=["load"])
    say("CPU time of a decision by process, µs:")
    processes = sorted({name for row in rows for name in row.cpu_us})
    parts = ((row.title, *(f"{row.cpu_us.get(one, 0.0):.1f}" for one in processes)) for row in rows)
    print_table(("load", *processes), parts, left=["load"])


def _figures(row: Row) -> dict[str, object]:
    turns = [{**asdict(one), "decisions_per_s": one.decisions_per_s} for one in row.turns]
    return {"load": row.title, "turns": turns, "of_wire": row.of_wire, "cpu_us": row.cpu_us}


def _cells(row: Row) -> tuple[str, ...]:
    speeds = sorted([one.decisions_per_s for one in row.turns])
    return (
        row.title,
        f"{median(speeds):,.0f}",
        f"{speeds[0]:,.0f} to {speeds[-1]:,.0f}",
        f"{median(row.of_wire):.2f}" if row.of_wire else "",
        f"{sum(row.cpu_us.values()):.1f}",
        f"{median([one.matches_per_s for one in row.turns]):,.1f}",
    )
