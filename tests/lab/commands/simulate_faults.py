"""`simulate faults`: check the promises of the arena while everything fails."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import click
import structlog

from arena.cli.screen import note, print_table, say

if TYPE_CHECKING:
    from tests.lab.faults.search import Failure, Found

HOUR_S = 3600.0
TELL_S = 10.0


@click.command("faults")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="First seed.")
@click.option(
    "--hours",
    type=click.FloatRange(0.0, min_open=True),
    default=1.0,
    show_default=True,
    help="Simulated hours of tournaments in total.",
)
def simulate_faults(seed: int, hours: float) -> None:
    """Play tournaments in a simulated arena in which everything fails.

    The schedule of workers and the sessions of gateways are the real ones. Redis, the database,
    the network, the clock and the bots are models in this process. Each seed draws tournaments,
    processes and faults: crashes, stalled hosts, broken streams, Redis and the database
    unreachable or emptied, locked rows. Then every match must be stored as without faults, no
    honest bot blamed, and everything finished soon after the last fault.

    The first failing seed is reported with a minimal set of faults. The exit status is then 1.
    """
    from tests.lab.faults.search import search

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    began = told = time.monotonic()

    def tell(found: Found) -> None:
        nonlocal told
        if time.monotonic() - told > TELL_S:
            told = time.monotonic()
            done = found.tournament_seconds / HOUR_S
            note(f"{found.scenarios} scenarios, {done:.1f} of {hours:g} hours")

    found = search(seed, lambda so_far: so_far.tournament_seconds >= hours * HOUR_S, tell)
    _print_found(found, seed, time.monotonic() - began)
    if found.failure:
        _print_failure(found.failure)
        raise SystemExit(1)
    say("No match was lost, no honest bot was blamed, and all tournaments finished.")


def _print_found(found: Found, seed: int, took_s: float) -> None:
    rows = [(kind, number) for kind, number in sorted(found.faults.items())]
    print_table(("fault", "times"), rows, left=["fault"])
    simulated = found.tournament_seconds / HOUR_S
    say(
        f"Seeds {seed} to {seed + found.scenarios - 1}: {found.matches:,} matches, "
        f"{simulated:.1f} simulated hours of tournaments in {took_s:.0f} s."
    )


def _print_failure(failure: Failure) -> None:
    say(f"Seed {failure.seed} fails with these faults:")
    for fault in failure.faults:
        say(f"  {fault}")
    say("Violations:")
    for violation in failure.violations[:10]:
        say(f"  {violation}")
    say(f"To repeat it: python -m tests.lab simulate faults --seed {failure.seed} --hours 0.001")
