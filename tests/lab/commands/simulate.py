"""`simulate`: does what the statistics promise hold, among bots of known strength?"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.screen import print_table, say
from tests.lab.commands.bar import progress_bar
from tests.lab.commands.simulate_all import simulate_all
from tests.lab.commands.simulate_faults import simulate_faults

if TYPE_CHECKING:
    from arena.tournaments.ratings.sprt import Hypotheses
    from tests.lab.simulations.versus import Ends

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
def simulate() -> None:
    """Play tournaments among bots of known strength; no network, no database.

    Results are drawn; pairing, ratings and the sequential test are those of real tournaments. The
    same seed gives the same numbers. One is different: `faults` plays real matches in a simulated
    arena.
    """


def _common(runs: int) -> Callable[[F], F]:
    """Gives a command --runs, --seed and --json."""

    def decorate(command: F) -> F:
        command = click.option("--json", "json_", is_flag=True, help="Print JSON.")(command)
        command = click.option(
            "--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True
        )(command)
        return click.option("--runs", type=click.IntRange(1), default=runs, show_default=True)(
            command
        )

    return decorate


def _seats(default: int) -> Callable[[F], F]:
    return click.option(
        "--seats", type=click.IntRange(2, 6), default=default, show_default=True, help="At a table."
    )


_duplicate = click.option(
    "--duplicate", is_flag=True, help="Deals are shared: all matches of a cycle have the same."
)


@simulate.command()
@_common(200)
@_seats(4)
@click.option("--bots", type=click.IntRange(2, 200), default=8, show_default=True)
@click.option(
    "--cycles",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    help="How often each bot has each seat at each table.",
)
@_duplicate
@click.option(
    "--spread",
    type=click.FloatRange(0, 2000),
    default=300.0,
    show_default=True,
    help="Elo from the weakest bot to the strongest.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["round-robin", "ladder"]),
    default="round-robin",
    show_default=True,
    help="A ladder plays as many matches as the round-robin would.",
)
@click.option(
    "--luck",
    type=click.FloatRange(0, 0.99),
    default=0.0,
    show_default=True,
    help="Rate by scores less luck, too: how much a model says that cards are worth to a pair.",
)
@click.option("--wrong-model", is_flag=True, help="Use a model that sees cards that nobody holds.")
def coverage(
    runs: int,
    seed: int,
    json_: bool,
    seats: int,
    bots: int,
    cycles: int,
    duplicate: bool,
    spread: float,
    format_: str,
    luck: float,
    wrong_model: bool,
) -> None:
    """How often do the 95% intervals contain the truth?

    The intervals are those of the difference of two ratings, for
    every pair. "deal" is how the arena computes them; "match" is what came of taking matches
    for independent, which they are where each has a deal of its own; "less luck" is by scores
    less the luck of their cards (--luck).
    """
    from tests.lab.simulations import coverage as simulated

    with progress_bar(runs) as progress:
        tried = simulated.CoverageCase(
            bots, seats, cycles, spread, format_, duplicate, luck, wrong_model
        )
        result = simulated.simulate(tried, runs, seed, progress)
    if json_:
        say(json.dumps(asdict(result), indent=2))
        return
    say(f"{format_} of {bots} bots, {seats} seats, {result.deals} deals; runs: {runs}")
    rows = [
        (unit, f"{share.inside:.3f}", f"{share.error:.3f}", f"{share.width:.1f}")
        for unit, share in (
            ("deal", result.by_deal),
            ("match", result.by_match),
            ("less luck", result.less_luck),
        )
        if share
    ]
    print_table(("unit", "coverage", "its error", "mean ± Elo"), rows, left=["unit"])


@simulate.command()
@_common(200)
@_seats(2)
@click.option("--elo0", type=float, default=0.0, show_default=True)
@click.option("--elo1", type=float, default=20.0, show_default=True)
@click.option("--alpha", type=float, default=0.05, show_default=True)
@click.option("--beta", type=float, default=0.05, show_default=True)
@click.option(
    "--difference",
    "differences",
    type=click.FloatRange(-2000, 2000),
    multiple=True,
    help="True Elo of the candidate less the baseline's; may be given several times.  "
    "[default: elo0, the middle, elo1]",
)
@click.option("--max-deals", type=click.IntRange(1), default=10_000, show_default=True)
@_duplicate
def versus(
    runs: int,
    seed: int,
    json_: bool,
    seats: int,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    differences: tuple[float, ...],
    max_deals: int,
    duplicate: bool,
) -> None:
    """How often does the sequential test err, and how soon does it stop?

    At a difference of elo0 the share of candidates accepted is the rate of false positives, at
    elo1 it is the power of the test.
    """
    from arena.tournaments.ratings.sprt import Hypotheses
    from tests.lab.simulations import versus as simulated

    test = Hypotheses(elo0, elo1, alpha, beta)
    chosen = differences or (elo0, (elo0 + elo1) / 2, elo1)
    with progress_bar(runs * len(chosen)) as progress:
        results = [
            simulated.simulate(
                simulated.VersusCase(difference, seats, test, max_deals, duplicate),
                runs,
                seed,
                progress,
            )
            for difference in chosen
        ]
    if json_:
        say(json.dumps([asdict(line) for line in results], indent=2))
        return
    _print_test(results, test, seats, runs)


def _print_test(results: Sequence[Ends], test: Hypotheses, seats: int, runs: int) -> None:
    say(f"SPRT [{test.elo0:g}, {test.elo1:g}], {seats} seats; runs for each difference: {runs}")
    rows = [
        (
            f"{line.tried.difference:g}",
            f"{line.accepted:.3f}",
            f"{line.error:.3f}",
            f"{line.rejected:.3f}",
            f"{line.undecided + line.indistinguishable:.3f}",
            f"{line.deals:,.0f}",
            f"{line.matches:,.0f}",
        )
        for line in results
    ]
    columns = ("difference", "accepted", "its error", "rejected", "neither", "deals", "matches")
    print_table(columns, rows)


@simulate.command()
@_common(50)
@_seats(4)
@click.option("--bots", type=click.IntRange(2, 200), default=10, show_default=True)
@click.option(
    "--least",
    type=click.FloatRange(1, 1000),
    default=20.0,
    show_default=True,
    help="The smallest gap between neighbours, in Elo.",
)
@click.option(
    "--most",
    type=click.FloatRange(1, 1000),
    default=120.0,
    show_default=True,
    help="The largest gap.",
)
@click.option("--limit", type=click.IntRange(1), default=50_000, show_default=True)
def ladder(
    runs: int, seed: int, json_: bool, seats: int, bots: int, least: float, most: float, limit: int
) -> None:
    """How many matches until every two neighbours are told apart?

    The ladder against tables drawn at random, for the same bots. Told apart are two whose 95%
    interval of the difference lies on the right side of zero. LIMIT matches are the most.
    """
    from tests.lab.simulations import ladder as simulated

    with progress_bar(runs) as progress:
        tried = simulated.LadderCase(bots, seats, least, most, limit)
        result = simulated.simulate(tried, runs, seed, progress)
    if json_:
        say(json.dumps(asdict(result), indent=2))
        return
    say(f"{bots} bots, {seats} seats, gaps of {least:g} to {most:g} Elo; runs: {runs}")
    rows = [
        (way, f"{n.mean:,.0f}", f"{n.error:,.0f}", f"{n.median:,.0f}", n.unfinished)
        for way, n in (("ladder", result.ladder), ("random", result.random))
    ]
    columns = ("pairing", "mean matches", "its error", "median", "not within the limit")
    print_table(columns, rows, left=["pairing"])
    say(
        f"The ladder needs {result.ratio:.2f} times the matches of random pairing "
        f"(95%: {result.low:.2f} to {result.high:.2f})."
    )


simulate.add_command(simulate_all)
simulate.add_command(simulate_faults)
