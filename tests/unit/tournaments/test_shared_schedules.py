"""Schedules of tournaments with shared deals stay as they are.

`tests/golden/shared_schedules.jsonl` has specs and the matches that were planned for them. (Swiss
rounds are drawn from results, and may be drawn better by now.)
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from arena.tournaments.formats import TournamentSpec, format_of
from tests.played_out import by_strength, play_out

GOLDEN = Path(__file__).parents[2] / "golden" / "shared_schedules.jsonl"
# What their format options leave out.
FIXED = {"deals": "duplicate", "siblings": "allowed", "withdraw_after": "0"}
STORED = [json.loads(line) for line in GOLDEN.read_text().splitlines()]


def spec_of(stored: dict[str, Any]) -> TournamentSpec:
    spec = stored["spec"]
    options = {**FIXED, **spec["format_options"]}
    return TournamentSpec(**{**spec, "bots": tuple(spec["bots"]), "format_options": options})


@pytest.mark.parametrize("stored", STORED, ids=lambda s: s["spec"]["name"])
def test_a_tournament_goes_on_with_its_schedule(stored: dict[str, Any]) -> None:
    spec = spec_of(stored)
    play = by_strength([1.0 - 0.1 * n for n in range(20)])

    found = [one.match for one in play_out(spec, play, stored["blocks"]).matches]

    planned = [[match.position, match.deal, list(match.seats)] for match in found]
    assert planned[:6] == stored["first"]
    text = json.dumps(planned, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == stored["sha256"]


@pytest.mark.parametrize("stored", STORED, ids=lambda s: s["spec"]["name"])
def test_its_deals_are_whole_after_as_many_matches_as_ever(stored: dict[str, Any]) -> None:
    spec = spec_of(stored)

    each = 2 if spec.format_options.get("seatings") == "mirrored" else spec.seats

    assert format_of(spec.format).matches_per_deal(spec) == each
