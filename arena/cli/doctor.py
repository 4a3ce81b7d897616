"""`arena doctor`: find problems in an installation."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import click

from arena.base.text import plural
from arena.cli.screen import say
from arena.cli.where import data_option
from arena.operations.doctor import examine
from arena.service.health.finding import Finding

MARKS = {"fine": "ok", "wrong": "WRONG", "unknown": "-"}
COLOURS = {"fine": "green", "wrong": "red", "unknown": None}


@click.command()
@data_option
@click.option("--json", "json_", is_flag=True, help="JSON output, one finding per line.")
@click.pass_context
def doctor(ctx: click.Context, data: Path | None, json_: bool) -> None:
    """Find problems in an installation, with advice.

    Checks Python, the ARENA_* variables of this shell, certificates, the folder --data, open files,
    the sandbox for hosted bots, the database, Redis, clocks, ports and running processes. Changes
    nothing. Exit status 1 if there is a problem.
    """
    found = 0
    for finding in examine(os.environ, data):
        found += finding.state == "wrong"
        if json_:
            say(json.dumps(asdict(finding), ensure_ascii=False))
        else:
            _show(finding)
    if not json_:
        say(f"{plural(found, 'problem')}." if found else "Nothing is wrong.")
    ctx.exit(1 if found else 0)


def _show(finding: Finding) -> None:
    mark = click.style(f"{MARKS[finding.state]:6}", fg=COLOURS[finding.state])
    because = f" Cause: {finding.because}." if finding.because else ""
    say(f"{mark} {finding.about}: {finding.sentence}{because}")
    if finding.advice:
        say(f"       {finding.advice}")
