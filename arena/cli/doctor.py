"""`arena doctor`: what is fine in an installation, and what to fix."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import click

from arena.cli.db import data_option
from arena.cli.screen import say
from arena.operations.doctor import examine
from arena.service.health.finding import Finding

MARKS = {"fine": "ok", "wrong": "WRONG", "unknown": "-"}
COLOURS = {"fine": "green", "wrong": "red", "unknown": None}


@click.command()
@data_option
@click.option("--json", "json_", is_flag=True, help="Print JSON, a finding to a line.")
@click.pass_context
def doctor(ctx: click.Context, data: Path | None, json_: bool) -> None:
    """Check an installation: what is fine, what is wrong, and what to do.

    Looks at Python, the ARENA_* variables, certificates, the data folder, open files, the sandbox
    for hosted bots, database, Redis, clocks, ports and whatever processes run, as this shell's
    variables and the folder --data describe them. Changes nothing. Exit status 1 if something is
    wrong.
    """
    found = 0
    for finding in examine(os.environ, data):
        found += finding.state == "wrong"
        if json_:
            say(json.dumps(asdict(finding), ensure_ascii=False))
        else:
            _show(finding)
    if not json_:
        say("Nothing is wrong." if not found else f"{found} to fix.")
    ctx.exit(1 if found else 0)


def _show(finding: Finding) -> None:
    mark = click.style(f"{MARKS[finding.state]:6}", fg=COLOURS[finding.state])
    because = f" This follows from: {finding.because}." if finding.because else ""
    say(f"{mark} {finding.about}: {finding.sentence}{because}")
    if finding.advice:
        say(f"       {finding.advice}")
