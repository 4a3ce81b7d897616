"""`simulate`: check the statistics with bots of known strength."""

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
    """Simulate tournaments among bots of known strength, and arenas with faults.

    Results are drawn. Pairing, ratings and the sequential test are those of real tournaments. The
    same seed gives the same numbers. `faults` is different: it plays real matches in a simulated
    arena.
    """


def _common(runs: int) -> Callable[[F], F]:
    """Add --runs, --seed and --json to a command."""

    def decorate(command: F) -> F:
        command = click.option("--json", "json_", is_flag=True, help="Print JSON.")(command)
        command = click.option(
            "--seed",
            type=click.IntRange(0, 2**64 - 1),
            default=1,
            show_default=True,
            help="Random seed.",
        )(command)
        return click.option(
            "--runs",
            type=click.IntRange(1),
            default=runs,
            show_default=True,
            help="Runs of each case.",
        )(command)

    return decorate


def _seats(default: int) -> Callable[[F], F]:
    return click.option(
        "--seats",
        type=click.IntRange(2, 6),
        default=default,
        show_default=True,
        help="Seats at a table.",
    )


def _bots(default: int) -> Callable[[F], F]:
    return click.option(
        "--bots",
        type=click.IntRange(2, 200),
        default=default,
        show_default=True,
        help="Bots of a tournament.",
    )


_duplicate = click.option(
    "--duplicate", is_flag=True, help="Play duplicate deals: one for all matches of a cycle."
)


@simulate.command()
@_common(200)
@_seats(4)
@_bots(8)
@click.option(
    "--cycles",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    help="Matches of a bot in each seat of each table.",
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
    help="Format. A ladder plays as many matches as the round-robin would.",
)
@click.option(
    "--luck",
    type=click.FloatRange(0, 0.99),
    default=0.0,
    show_default=True,
    help="Most that a luck model values the cards of a pair; 0 for no model.",
)
@click.option("--wrong-model", is_flag=True, help="Use a luck model of unrelated cards.")
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
    """Measure how often 95% intervals contain the truth.

    The intervals are those of the difference of two ratings, for every pair. "deal" is how the
    arena computes them. "match" treats matches as independent, which is right if each has its own
    deal. "luck-adjusted" uses luck-adjusted scores (--luck).
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
            ("luck-adjusted", result.less_luck),
        )
        if share
    ]
    print_table(("unit", "coverage", "its error", "mean ± Elo"), rows, left=["unit"])


@simulate.command()
@_common(200)
@_seats(2)
@click.option("--elo0", type=float, default=0.0, show_default=True, help="Elo to reject.")
@click.option("--elo1", type=float, default=20.0, show_default=True, help="Elo to accept.")
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Error rate at elo0: accepted although not better.",
)
@click.option(
    "--beta",
    type=float,
    default=0.05,
    show_default=True,
    help="Error rate at elo1: not accepted although better.",
)
@click.option(
    "--difference",
    "differences",
    type=click.FloatRange(-2000, 2000),
    multiple=True,
    help="True Elo of the candidate minus the baseline; repeatable.  "
    "[default: elo0, the middle, elo1]",
)
@click.option(
    "--max-deals",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Deals of a test at most.",
)
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
    """Measure how often the sequential test errs, and how soon it stops.

    At a difference of elo0 the share of accepted candidates is the false positive rate. At elo1 it
    is the power of the test.
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
@_bots(10)
@click.option(
    "--least",
    type=click.FloatRange(1, 1000),
    default=20.0,
    show_default=True,
    help="Smallest gap between neighbours, in Elo.",
)
@click.option(
    "--most",
    type=click.FloatRange(1, 1000),
    default=120.0,
    show_default=True,
    help="Largest gap between neighbours, in Elo.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=50_000,
    show_default=True,
    help="Matches of a run at most.",
)
def ladder(
    runs: int, seed: int, json_: bool, seats: int, bots: int, least: float, most: float, limit: int
) -> None:
    """Measure the matches until all neighbours are distinguished.

    The ladder is compared with random tables, for the same bots. Two bots are distinguished if the
    95% interval of their difference lies on the right side of 0.
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
