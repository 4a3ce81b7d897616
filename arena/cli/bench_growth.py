"""`arena bench growth`: throughput and the cost of a decision, as the arena grows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from arena.base.errors import InvalidRequest
from arena.bench.growth import PARTS, Growth, PartName, Point
from arena.cli.figures import figures_of_run, json_option, json_text
from arena.cli.screen import note, print_table, say

FILE = "growth.json"
COLUMNS = ("part", "bots", "in flight", "workers", "gateways", "decisions/s", "matches/s")
COSTS = ("µs a decision", "worker", "gateway", "bots", "Redis", "others")


@click.command("growth")
@click.option(
    "--part",
    "parts",
    type=click.Choice(tuple(PARTS)),
    multiple=True,
    help="What grows; several times for several. Default: all four.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1),
    default=12.0,
    show_default=True,
    help="For which each point is watched.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Of a match, at most.",
)
@click.option(
    "--turns",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="In which all points of a part are measured again; medians are shown.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Folder for the JSON ({FILE}) and a drawing of each part (SVG).",
)
@click.option(
    "--from",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Draw the JSON of an earlier run; nothing is measured.",
)
@json_option
def growth(
    parts: tuple[PartName, ...],
    seconds: float,
    rounds: int,
    turns: int,
    out: Path | None,
    file: Path | None,
    as_json: bool,
) -> None:
    """How fast the whole way is as the arena grows, and what a decision costs.

    Against bots (4 to 2,000, with 512 matches in flight, or four for each bot where that is more),
    matches in flight (1 to 8,192), worker processes (1 to 4, with 256 matches each) and gateways (1
    and 2); else four bots, 512 matches, two worker processes, one gateway. Each point is an arena
    of its own with trivial bots, watched when as many matches are stored as are in flight. A turn
    takes some eight minutes; a single one says little on a machine that others use.

    Between the last two points of a part messages to bots stay equally full, or get fuller. If a
    decision then takes clearly more CPU time, that part is worse than linear.

    \b
      arena bench growth --out growth
      arena bench growth --from growth/growth.json --out growth
    """
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)  # now, not when all is measured
    if file is not None:
        if out is None:
            raise click.UsageError("--from draws what was measured before: say where, with --out.")
        _save_drawings(_read(file), out)
        return
    from arena.bench.growth_arena import Watch, measure

    grown = measure(parts or tuple(PARTS), Watch(seconds, rounds, turns), note)
    figures = figures_of_run(growth=[_as_dict(each) for each in grown])
    if out is not None:
        (out / FILE).write_text(json_text(figures) + "\n")
        _save_drawings(figures, out)
    if as_json:
        say(json_text(figures))
        return
    _print(grown)


def _as_dict(grown: Growth) -> dict[str, Any]:
    return {
        "part": grown.part,
        "ratio": grown.ratio,
        "ratios": grown.ratios,
        "worse_than_linear": grown.worse_than_linear,
        "points": [
            {
                **asdict(point),
                "decisions_per_s": point.decisions_per_s,
                "matches_per_s": point.matches_per_s,
                "decisions_per_message": point.decisions_per_message,
                "cpu_us": point.cpu_us,
            }
            for point in grown.points
        ],
    }


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text())
    except ValueError as error:
        raise InvalidRequest(f"{file} is not JSON ({error}).") from None


def _save_drawings(figures: Mapping[str, Any], out: Path) -> None:
    from arena.bench.plots import draw

    for part, drawing in draw(figures).items():
        (out / f"{part}.svg").write_text(drawing)
        note(f"Drawn: {out / part}.svg")


def _print(grown: list[Growth]) -> None:
    rows = [_row(each.part, point) for each in grown for point in each.points]
    print_table((*COLUMNS, *COSTS, "a message"), rows, left=["part"])
    for each in grown:
        if each.ratio is not None:
            say(verdict(each))


def _row(part: str, point: Point) -> tuple[str, ...]:
    from arena.bench.plots import costs_of

    load = point.load
    costs = costs_of({"cpu": point.cpu, "decisions": point.decisions})
    return (
        part,
        *(f"{count:,}" for count in (load.bots, load.in_flight, load.workers, load.gateways)),
        f"{point.decisions_per_s:,.0f}",
        f"{point.matches_per_s:,.0f}",
        *(f"{cost:,.1f}" for cost in (point.cpu_us, *costs.values())),
        f"{point.decisions_per_message:,.1f}",
    )


def verdict(grown: Growth) -> str:
    """What the last two points say, in a sentence."""
    before, last = grown.points[-2:]
    found = "worse than linear" if grown.worse_than_linear else "not worse than linear"
    return (
        f"{grown.part}, from {before.grown:,} to {last.grown:,}: {grown.ratio:.2f} times the CPU "
        f"time a decision, {found}."
    )
