"""`arena bench costs`: what a message, a decision, a bot and a match cost."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from arena.cli.figures import figures_of_run, json_option, json_text
from arena.cli.screen import note, print_table, say


@click.command("costs")
@click.option("--database", required=True, metavar="URL", help="Of an empty PostgreSQL database.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.1),
    default=10.0,
    show_default=True,
    help="For which each arena is watched.",
)
@click.option("--matches", type=click.IntRange(1000), default=40_000, show_default=True)
@click.option("--waiting", type=click.IntRange(21), default=1000, show_default=True)
@click.option(
    "--archive-bytes",
    type=click.FloatRange(0.0),
    default=0.0,
    help="Of a match in an archive; without it, as it came with this release.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for `arena capacity --costs`.",
)
@json_option
def costs(
    database: str,
    seconds: float,
    matches: int,
    waiting: int,
    archive_bytes: float,
    out: Path | None,
    as_json: bool,
) -> None:
    """What a message, a decision, a connected bot and a stored match cost.

    CPU time of each process, memory, traffic of Redis, bytes on disk: `arena capacity` makes a plan
    of them. Five arenas, a thousand bots that wait, and 40,000 matches in each database take some
    three minutes. Figures of a busy machine are too high.
    """
    from arena.bench.costs import Extent, measure
    from arena.capacity.costs import measured

    known = archive_bytes or measured().archive_bytes
    extent = Extent(seconds=seconds, matches=matches, waiting=waiting)
    found, points = measure(database, known, extent, note)
    figures = figures_of_run(costs=asdict(found), arenas=[asdict(each) for each in points])
    figures["options"] = {"seconds": seconds, "matches": matches, "waiting": waiting}
    if out is not None:
        out.write_text(json_text(figures) + "\n")
    if as_json:
        say(json_text(figures))
        return
    rows = [(name, _shown(value)) for name, value in asdict(found).items()]
    print_table(("what", "cost"), rows, left=["what", "cost"])


def _shown(value: float | dict[str, float]) -> str:
    if isinstance(value, dict):
        return f"{value['message_us']:,.1f} µs a message, {value['decision_us']:,.1f} a decision"
    return f"{value:,.1f}"
