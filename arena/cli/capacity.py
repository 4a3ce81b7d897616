"""`arena capacity`: what an arena of a given size needs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.figures import json_option, print_json
from arena.cli.screen import print_table, say

if TYPE_CHECKING:
    from arena.capacity.costs import Costs
    from arena.capacity.plan import Need, Plan
    from arena.capacity.queueing import Course


@click.command()
@click.option("--bots", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--matches-per-day", type=click.FloatRange(1), default=100e6, show_default=True)
@click.option(
    "--decisions",
    type=click.FloatRange(1),
    default=162.0,
    show_default=True,
    help="Of a match: 162 of LAMA at four seats.",
)
@click.option(
    "--peak",
    type=click.FloatRange(1),
    default=2.0,
    show_default=True,
    help="Times the mean, in the busiest hour.",
)
@click.option(
    "--bots-at-once",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Of how many bots the matches are that a worker plays at a time.",
)
@click.option(
    "--window",
    type=click.IntRange(1),
    default=2048,
    show_default=True,
    help="Matches in flight of a worker process (ARENA_WINDOW).",
)
@click.option(
    "--months",
    type=click.FloatRange(0),
    default=1.0,
    show_default=True,
    help="That matches stay in the database; then they are archived.",
)
@click.option(
    "--years", type=click.FloatRange(0), default=1.0, show_default=True, help="Of archive."
)
@click.option(
    "--core-price",
    type=click.FloatRange(0),
    default=25.0,
    show_default=True,
    help="Dollars a month, with 4 GiB of memory.",
)
@click.option(
    "--simulate",
    "simulated",
    is_flag=True,
    help="Run the planned processes in a simulation of waiting lines, too.",
)
@click.option(
    "--costs",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Measured by `arena bench costs --out`; without it, those that came with this release.",
)
@json_option
def capacity(
    bots: int,
    matches_per_day: float,
    decisions: float,
    peak: float,
    bots_at_once: int,
    window: int,
    months: float,
    years: float,
    core_price: float,
    simulated: bool,
    file: Path | None,
    as_json: bool,
) -> None:
    """What so many bots and matches a day need: cores, memory, disks, money.

    It calculates with measured costs. Prices are assumptions: give your own. What a machine of
    another speed needs, `arena bench costs` tells there.

    \b
      arena capacity --bots 30 --matches-per-day 50000
      arena capacity --bots 1000 --matches-per-day 100000000 --simulate
    """
    from arena.capacity import Demand, Prices, measured, plan
    from arena.capacity.queueing import simulate

    costs = measured(file) if file else measured()
    demand = Demand(bots, matches_per_day, decisions, peak, bots_at_once, window, months, years)
    found = plan(demand, costs, Prices(core=core_price))
    course = simulate(found.fleet, costs) if simulated else None
    if as_json:
        print_json(
            plan={**asdict(found), "limits": [need.part for need in found.limits]},
            simulated=asdict(course) if course else None,
        )
        return
    _print(found, costs, course)


def _print(plan: Plan, costs: Costs, course: Course | None) -> None:
    demand = plan.demand
    say(
        f"{demand.matches_per_day:,.0f} matches a day of {demand.bots:,} bots: at the peak "
        f"{demand.matches_per_s:,.0f} matches and {demand.decisions_per_s:,.0f} decisions a "
        f"second, about {demand.together:,.0f} in a message."
    )
    print_table(
        ("part", "cores busy", "processes", "memory GiB", "of its limit"),
        [_row(need) for need in plan.needs],
        left=["part"],
    )
    say(
        f"Together {plan.cores:,} cores and {plan.memory / 2**30:,.0f} GiB; "
        f"{plan.database_bytes / 1e9:,.0f} GB in the database after {demand.months:g} months, "
        f"{plan.archive_bytes / 1e9:,.0f} GB in the archive after {demand.years:g} years; "
        f"{plan.redis_bytes_per_s / 1e6:,.1f} MB/s through Redis; "
        f"{plan.dollars:,.0f} dollars a month."
    )
    for need in plan.limits[:1]:
        say(f"What saturates first: {need.part}, at {need.utilisation:.0%}. Then: {need.remedy}.")
    if course:
        busy = ", ".join(f"{kind} {share:.0%}" for kind, share in course.busy.items())
        say(
            f"Simulated: these processes reach {course.decisions_per_s:,.0f} decisions and "
            f"{course.matches_per_s:,.0f} matches a second; busy: {busy}."
        )


def _row(need: Need) -> tuple[str, ...]:
    used = "" if need.utilisation is None else f"{need.utilisation:.0%}"
    processes = f"{need.processes:,}" if need.processes else ""
    memory = f"{need.memory / 2**30:,.1f}" if need.memory else ""
    return need.part, f"{need.cores:,.1f}", processes, memory, used
