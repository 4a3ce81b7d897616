"""`bench`: measure this code on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.base import compiled
from arena.cli.screen import note, print_table, say
from tests.lab.commands.bench_inference import inference
from tests.lab.commands.bench_luck import luck
from tests.lab.commands.bench_pipeline import pipeline
from tests.lab.commands.bench_strength import strength
from tests.lab.commands.bench_tokens import tokens
from tests.lab.commands.figures import json_option, print_json, stream_json, stream_table

if TYPE_CHECKING:
    from tests.lab.bench.batch import BatchSpeed
    from tests.lab.bench.dashboard import DashboardTimes
    from tests.lab.bench.engine import EngineSpeed

database_option = click.option(
    "--database",
    default="",
    metavar="URL",
    help="PostgreSQL database: an empty one, or one from an earlier run.",
)
matches_option = click.option(
    "--matches",
    type=click.IntRange(40),
    default=1_000_000,
    show_default=True,
    help="Matches to store.",
)
bots_option = click.option(
    "--bots", type=click.IntRange(20), default=200, show_default=True, help="Bots of the arena."
)
keep_option = click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to create the arena in, or to reuse one from.",
)


@click.group()
def bench() -> None:
    """Measure this code on this machine.

    Machines are noisy. Compare figures of one run, not of different days.
    """


bench.add_command(strength)
bench.add_command(tokens)
bench.add_command(inference)
bench.add_command(luck)
bench.add_command(pipeline)


@bench.command()
@click.option(
    "--seats", type=click.IntRange(2, 6), default=4, show_default=True, help="Seats at a table."
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1),
    default=3.0,
    show_default=True,
    help="Seconds of each measurement.",
)
@click.option("--batch", is_flag=True, help="Also measure many games stepped together as arrays.")
@click.option(
    "--games",
    type=click.IntRange(1),
    default=8192,
    show_default=True,
    help="Games stepped together, with --batch.",
)
@json_option
def engine(seats: int, seconds: float, batch: bool, games: int, as_json: bool) -> None:
    """Measure the rules engine: random legal actions in one process.

    Compiled rules are compared with pure Python, interleaved. "times" is the ratio of their
    decisions per second.

    With --batch, each game is also compared with a batch of many games, interleaved. There
    "times" is the ratio of the batch to single games.
    """
    from tests.lab.bench.engine import measure_all

    speeds = measure_all(seats, seconds)
    batches = _batches(seats, seconds, games) if batch else iter(())
    if as_json:
        stream_json(engine=map(asdict, speeds), batch=map(asdict, batches))
        return
    say(f"The rules are {compiled.description()}.")
    stream_table(ENGINE, map(_engine_row, speeds), left=["game"])
    if batch:
        say("\nMany games at once:")
        stream_table(BATCH, map(_batch_row, batches), left=["game"])


# Columns, with the widths of their cells.
ENGINE = {"game": 7, "seats": 1, "decisions/s": 9, "matches/s": 6, "clones/s": 9}
ENGINE |= {"sampled states/s": 9, "pure, decisions/s": 9, "times": 6}
BATCH = {"game": 7, "games": 7, "decisions/s": 10, "matches/s": 7}
BATCH |= {"one by one, decisions/s": 9, "times": 6}


def _engine_row(one: EngineSpeed) -> tuple[object, ...]:
    counts = (
        one.decisions_per_s,
        one.matches_per_s,
        one.clones_per_s,
        one.sampled_states_per_s,
        one.pure_decisions_per_s,
    )
    shown = [_shown(count, ",.0f") for count in counts]
    return (one.game, one.seats, *shown, _shown(one.ratio, ".2f"))


def _batches(seats: int, seconds: float, games: int) -> Iterator[BatchSpeed]:
    from tests.lab.bench.batch import measure_all

    return measure_all(seats, seconds, games)


def _batch_row(one: BatchSpeed) -> tuple[object, ...]:
    counts = (one.games, one.decisions_per_s, one.matches_per_s, one.single_decisions_per_s)
    return (one.game, *(f"{count:,.0f}" for count in counts), f"{one.ratio:.1f}")


@bench.command()
@matches_option
@bots_option
@keep_option
@database_option
@click.option(
    "--replays/--no-replays",
    default=True,
    help="Also recompute answer times. This replays each match, which takes most of the time.",
)
@json_option
def store(
    matches: int, bots: int, keep: Path | None, database: str, replays: bool, as_json: bool
) -> None:
    """Measure the database with very many matches stored, each with its full log.

    The steps are the first page after a start of the dashboard, batches of 500 and of 4,000
    results, recomputing everything from the matches, and comparing it. Creating a million matches
    takes minutes and 800 MB. The batches are stored in a kept arena, too.
    """
    from tests.lab.bench.store import measure

    measured = measure(matches, bots, keep, database, replays, note)
    if as_json:
        print_json(**asdict(measured))
        return
    rows = [
        (step.what, f"{step.seconds:,.3f}", f"{step.cpu_seconds:,.3f}", f"{step.megabytes:,.0f}")
        for step in measured.steps
    ]
    print_table(("step", "seconds", "CPU seconds", "most MB so far"), rows, left=["step"])
    say(
        f"{measured.matches:,} matches of {measured.bots} bots on {measured.database}; load of the "
        f"machine {measured.load_before:.1f} before, {measured.load_after:.1f} after."
    )


@bench.command()
@matches_option
@bots_option
@click.option(
    "--requests",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Requests of each page.",
)
@keep_option
@database_option
@click.option(
    "--busy",
    type=click.FloatRange(0.0),
    default=0.0,
    metavar="RATE",
    help="Results per second to store meanwhile.",
)
@click.option("--page", "name_part", default="", help="Only pages whose name contains this.")
@json_option
def dashboard(
    matches: int,
    bots: int,
    requests: int,
    keep: Path | None,
    database: str,
    busy: float,
    name_part: str,
    as_json: bool,
) -> None:
    """Measure the dashboard's pages with very many matches stored.

    The real server serves a synthetic arena on loopback, and one client requests each page
    repeatedly. Creating a million matches takes minutes and 800 MB, so reuse them with --keep.
    Results of --busy are stored in a kept arena, too.

    \b
      python -m tests.lab bench dashboard --keep /tmp/million
      python -m tests.lab bench dashboard --keep /tmp/million --busy 100 --page leaderboard
      python -m tests.lab bench dashboard --matches 10000000 --database postgresql://arena@host/bench
    """
    from tests.lab.bench.dashboard import measure

    measured = measure(matches, bots, requests, keep, database, busy, name_part, note)
    if as_json:
        print_json(**asdict(measured))
        return
    _print_pages(measured, busy)


def _print_pages(measured: DashboardTimes, busy: float) -> None:
    rows = [
        (
            page.page,
            page.requests,
            *(f"{ms:,.1f}" for ms in (page.first, page.p50, page.p95, page.slowest, page.cpu)),
            f"{page.kilobytes:,.0f}",
        )
        for page in measured.pages
    ]
    columns = ("page", "requests", "first ms", "p50 ms", "p95 ms", "slowest ms", "CPU ms", "kB")
    print_table(columns, rows, left=["page"])
    written = f", {busy:g} results/s written meanwhile" if busy else ""
    say(
        f"{measured.matches:,} matches of {measured.bots} bots, a database of "
        f"{measured.database_megabytes:,.0f} MB{written}; load of the machine "
        f"{measured.load_before:.1f} before, {measured.load_after:.1f} after."
    )


@bench.command()
@click.option(
    "--bots", type=click.IntRange(21), default=2000, show_default=True, help="Connected bots."
)
@click.option(
    "--playing",
    type=click.IntRange(20, 200),
    default=200,
    show_default=True,
    help="Connected bots that play.",
)
@click.option(
    "--storm",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Bots that then connect at once.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(1.0),
    default=15.0,
    show_default=True,
    help="Seconds to measure each step.",
)
@click.option(
    "--think-ms",
    type=click.FloatRange(0.0),
    default=20.0,
    show_default=True,
    help="Pause of a bot before each answer.",
)
@click.option(
    "--in-flight",
    type=click.IntRange(1),
    default=64,
    show_default=True,
    help="Matches in flight together.",
)
@json_option
def load(
    bots: int,
    playing: int,
    storm: int,
    seconds: float,
    think_ms: float,
    in_flight: int,
    as_json: bool,
) -> None:
    """Measure what connected bots cost a gateway.

    Many bots wait, some play, and a storm of new bots connects. Each bot has its own connection.
    The answer times shown include --think-ms.
    """
    from tests.lab.bench.load import Crowds, measure

    if playing >= bots:
        raise click.UsageError("--playing must be smaller than --bots.")
    crowds = Crowds(bots, playing, storm, seconds, think_ms, in_flight)
    measured = measure(crowds, note)
    if as_json:
        print_json(**asdict(measured))
        return
    rows = [
        (
            step.what,
            f"{step.connected:,}",
            f"{step.seconds:.1f}",
            f"{step.memory / 1e6:,.0f}",
            f"{step.cores:.2f}",
            f"{step.refused:,}" if step.joined else "",
            _shown(step.p99_welcome_s, ".1f"),
            _shown(step.decisions_per_s, ",.0f"),
            _shown(step.p50_ms, ",.1f"),
            _shown(step.p99_ms, ",.1f"),
        )
        for step in measured.steps
    ]
    columns = ("step", "bots", "s", "gateway MB", "cores", "refused", "99% in after s")
    print_table((*columns, "decisions/s", "p50 ms", "p99 ms"), rows, left=["step"])
    say(
        f"A connected bot takes {measured.gateway_bytes / 1000:,.1f} kB in the gateway and "
        f"{measured.redis_bytes / 1000:,.1f} kB in Redis."
    )


def _shown(number: float | None, form: str) -> str:
    return "" if number is None else format(number, form)


@bench.command()
@click.option(
    "--matches",
    type=click.IntRange(8),
    default=1_000_000,
    show_default=True,
    help="Matches to play.",
)
@click.option(
    "--samples",
    type=click.IntRange(8),
    default=20,
    show_default=True,
    help="Times to measure memory, files and keys.",
)
@click.option(
    "--rounds", type=click.IntRange(1), help="Rounds of a match at most.  [default: no limit]"
)
@json_option
def soak(matches: int, samples: int, rounds: int | None, as_json: bool) -> None:
    """Check that memory, open files and Redis do not grow over very many matches.

    Exit with status 1 if they do. A million matches take about three hours and 700 MB of disk,
    or a third of both with one round each.
    """
    from tests.lab.bench.soak import Sample, measure

    def tell(sample: Sample) -> None:
        used = ", ".join(
            f"{name} {use.memory / 1e6:,.0f} MB {use.files}"
            for name, use in sample.processes.items()
        )
        note(
            f"{sample.matches:,} matches, {sample.matches / sample.seconds:,.0f}/s: {used} files; "
            f"{sample.redis_keys} keys, database {sample.database / 1e6:,.0f} MB"
        )

    measured = measure(matches, samples, tell, rounds)
    if as_json:
        print_json(**asdict(measured))
    elif measured.growing:
        say("\n".join(measured.growing))
    else:
        say(f"Only the database grew over {matches:,} matches.")
    if measured.growing:
        raise SystemExit(1)


@bench.command()
@click.option(
    "--matches",
    type=click.IntRange(4),
    default=400,
    show_default=True,
    help="Matches of each measurement.",
)
@click.option(
    "--turns",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Interleaved repetitions of each measurement.",
)
@click.option(
    "--thinking-ms",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="CPU time of a bot for each decision.",
)
@click.option(
    "--move-ms",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Time limit of a decision.",
)
@click.option(
    "--bots",
    type=click.IntRange(4),
    default=4,
    show_default=True,
    help="Bots of each tournament, at tables of four.",
)
@click.option(
    "--hogs",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Background CPU-bound processes to run.",
)
@click.option(
    "--way",
    "ways",
    type=click.Choice(("connected", "tournament", "match")),
    multiple=True,
    help="Kind of bots to measure; repeatable.  [default: all three]",
)
@json_option
def hosts(
    matches: int,
    turns: int,
    thinking_ms: float,
    move_ms: int,
    bots: int,
    hogs: int,
    ways: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compare the speed of hosted bots with the same bots connected.

    The bots play interleaved in one arena: connected, hosted with one process per tournament, and
    hosted with one process per match.
    """
    from tests.lab.bench.hosted_bots import WAYS, HostedLoad, measure, ratio

    load = HostedLoad(
        matches, thinking_ms, turns, move_ms=move_ms, hogs=hogs, ways=ways or WAYS, bots=bots
    )
    played = measure(load, note)
    if as_json:
        print_json(played=[asdict(one) for one in played])
        return
    rows = [
        (
            one.way,
            f"{one.matches_per_s:,.1f}",
            f"{one.decisions / one.seconds:,.0f}",
            str(one.faults),
            f"{one.memory_mb:,.0f}",
            f"{ratio(played, one.way):.2f}" if "connected" in load.ways else "",
            *(
                f"{1e6 * one.cpu.get(name, 0.0) / one.decisions:,.0f}"
                for name in ("worker", "gateway", "host", "sandboxes", "bots")
            ),
        )
        for one in played
    ]
    columns = ("way", "matches/s", "decisions/s", "faults", "MB", "times")
    costs = ("worker µs", "gateway µs", "host µs", "sandboxes µs", "bots µs")
    print_table((*columns, *costs), rows, left=["way"])
    for one in played:
        for reason, times in one.reasons:
            note(f"{one.way}: {times} x {reason}")
