"""`simulate all`: the tables under "Statistics" of the benchmarks page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import product
from typing import TYPE_CHECKING

import click

from arena.cli.screen import say
from tests.lab.commands.bar import progress_bar

if TYPE_CHECKING:
    from tests.lab.simulations.intervals import Case, IntervalCoverage
    from tests.lab.simulations.scores import Ended
    from tests.lab.simulations.versus import Ends

TESTS = 5  # times as many runs if each gives one answer: a single pair, a test on drawn deals
ELO = (0.0, 10.0, 20.0)  # true differences in a test of 0 against 20


@click.command("all")
@click.option(
    "--runs", type=click.IntRange(1), default=400, show_default=True, help="Runs of each case."
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=1,
    show_default=True,
    help="Random seed.",
)
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
def simulate_all(runs: int, seed: int, json_: bool) -> None:
    """Check all promises of the statistics, and print the tables of the benchmarks page.

    It checks intervals at 2 to 6 seats from 10 to 1,000 matches per bot: with ties, skew, seats of
    unequal value, unequal numbers of matches, two bots, chains and duplicate deals. It also checks
    residuals, very strong and weak bots, rank ranges, and the errors of `versus`. With 400 runs of
    each it takes a few minutes.
    """
    from tests.lab.simulations import cases

    coverage = {
        "intervals": _simulate_intervals(cases.intervals(), runs, seed),
        "far": _simulate_intervals(cases.far_off(), runs, seed),
        "tables": _simulate_intervals(cases.tables(), runs, seed),
    }
    scores, versus = _simulate_scores(runs, seed), _simulate_versus(runs, seed)
    if json_:
        whole: dict[str, Sequence[IntervalCoverage | Ended | Ends]]
        whole = {**coverage, "drawn": scores, "versus": versus}
        plain = {name: [_plain(line) for line in lines] for name, lines in whole.items()}
        say(json.dumps(plain, indent=2))
        return
    say(
        f"{runs:,} runs of each case, {TESTS * runs:,} of those with a single pair or drawn deals\n"
    )
    _intervals(coverage["intervals"])
    _residuals(coverage["intervals"])
    _far(coverage["far"])
    _ranges(coverage["tables"])
    _tests(scores)
    _tournaments(versus)


def _plain(line: IntervalCoverage | Ended | Ends) -> dict[str, object]:
    plain = asdict(line)
    if isinstance(case := plain.get("case"), dict):
        case.pop("schedule")
    return plain


def _simulate_intervals(cases: Iterable[Case], runs: int, seed: int) -> list[IntervalCoverage]:
    from tests.lab.simulations.intervals import simulate

    results = []
    for number, case in enumerate(cases):
        times = runs * TESTS if case.bots == 2 else runs
        with progress_bar(times, f"{case.name}, {case.seats} seats, {case.matches}") as bar:
            # With the same seed all cases would have the same luck.
            results.append(simulate(case, times, seed + number, bar))
    return results


def _simulate_scores(runs: int, seed: int) -> list[Ended]:
    from tests.lab.simulations.scores import SHAPES, SequentialCase, simulate

    results = []
    for number, (shape, elo) in enumerate(product(SHAPES, (ELO[0], ELO[-1]))):
        with progress_bar(TESTS * runs, f"versus, {shape}, {elo:g} Elo") as bar:
            results.append(simulate(SequentialCase(shape, elo), TESTS * runs, seed + number, bar))
    return results


def _simulate_versus(runs: int, seed: int) -> list[Ends]:
    from tests.lab.simulations.versus import VersusCase, simulate

    results = []
    for number, (seats, elo) in enumerate(product((2, 4), ELO)):
        with progress_bar(runs, f"versus, {seats} seats, {elo:g} Elo") as bar:
            results.append(simulate(VersusCase(elo, seats), runs, seed + number, bar))
    return results


def _intervals(results: Sequence[IntervalCoverage]) -> None:
    columns = sorted({one.case.matches for one in results})
    lines: dict[tuple[str, int], dict[int, str]] = {}
    for one in results:
        cell = f"{_share(one.inside)} ± {_share(one.error)} ({one.width:.0f})"
        lines.setdefault((one.case.name, one.case.seats), {})[one.case.matches] = cell
    _table(
        "Coverage of the 95% interval of a difference (mean ± in Elo), by matches for each bot",
        ["bots", "seats", *(f"{matches:,}" for matches in columns)],
        ([name, seats, *cells.values()] for (name, seats), cells in lines.items()),
    )


def _residuals(results: Sequence[IntervalCoverage]) -> None:
    _table(
        "Residuals: standard deviation, and the share beyond 1.96, by matches for each bot",
        ["bots", "seats", "100", "1,000"],
        (
            [few.case.name, few.case.seats, _residual(few), _residual(many)]
            for few in results
            for many in results
            if (few.case.matches, many.case.matches) == (100, 1000)
            and (few.case.name, few.case.seats) == (many.case.name, many.case.seats)
            and few.case.bots > 2
            and "chain" not in few.case.name
        ),
    )


def _residual(one: IntervalCoverage) -> str:
    if one.spread is None or one.beyond is None:
        return "none"
    return f"{one.spread:.2f}, {_share(one.beyond)}"


def _far(results: Sequence[IntervalCoverage]) -> None:
    _table(
        "A bot far from five others",
        [
            "it is", "seats", "matches", "upsets", "bots marked",
            "covered, all pairs", "covered, no mark", "with residual", "residuals of its pairs",
        ],
        (
            [
                one.case.name, one.case.seats, f"{one.case.matches:,}", f"{one.upsets:.0f}",
                _share(one.marked), _share(one.inside),
                "" if one.unmarked is None else _share(one.unmarked),
                _share(one.judged), _residual(one),
            ]
            for one in results
        ),
    )  # fmt: skip


def _ranges(results: Sequence[IntervalCoverage]) -> None:
    _table(
        "How often the ranges of all bots of a table held at once",
        ["bots", "matches", "each pair by itself", "all pairs together"],
        (
            [one.case.name, f"{one.case.matches:,}", _share(one.ranges), _share(one.together)]
            for one in results
        ),
    )


def _tests(results: Sequence[Ended]) -> None:
    _table(
        "versus, 0 against 20 Elo, errors of .05: tests on drawn deals",
        ["deals", "accepted at 0", "mean deals", "not accepted at 20", "mean deals"],
        (
            [
                none.tried.shape, _share(none.accepted), f"{none.deals:,.0f}",
                _share(1.0 - some.accepted), f"{some.deals:,.0f}",
            ]
            for none, some in zip(results[::2], results[1::2], strict=True)
        ),
    )  # fmt: skip


def _tournaments(results: Sequence[Ends]) -> None:
    _table(
        "versus, 0 against 20 Elo, errors of .05: tournaments",
        ["seats", "true Elo", "accepted", "rejected", "mean deals", "mean matches"],
        (
            [
                one.tried.seats, f"{one.tried.difference:g}",
                f"{_share(one.accepted)} ± {_share(one.error)}", _share(one.rejected),
                f"{one.deals:,.0f}", f"{one.matches:,.0f}",
            ]
            for one in results
        ),
    )  # fmt: skip


def _share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    say(f"{title}\n")
    say(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        say(f"| {' | '.join(map(str, row))} |")
    say("")
