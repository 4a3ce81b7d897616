"""`arena bench growth`, with a handful of bots and matches in flight."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.bench import growth
from arena.cli.app import arena


def test_points_are_measured_saved_and_drawn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    small = {
        "bots": growth.Load(bots=9, in_flight=24, workers=1),
        "gateways": growth.Load(4, 8, 1, 2),
    }
    for part, load in small.items():
        monkeypatch.setitem(growth.PARTS, part, (lambda _, load=load: load, (load.bots,)))
    monkeypatch.setattr("arena.bench.growth_arena.WARM_S", 0.0)
    options = ("--part", "bots", "--part", "gateways", "--seconds", "1.5", "--out", str(tmp_path))

    done = CliRunner().invoke(arena, ["bench", "growth", *options, "--json"])

    assert done.exit_code == 0, done.output
    bots, gateways = json.loads(done.stdout)["growth"]
    for part in (bots, gateways):
        (point,) = part["points"]
        assert point["decisions"] >= point["messages"] > 0
        assert point["decisions_per_s"] == pytest.approx(point["decisions"] / point["seconds"])
        assert point["matches"] > 0
        assert set(point["cpu"]) == {
            "redis", "gateway", "worker", "prompt-worker", "beat", "dashboard", "bots",
        }  # fmt: skip
        assert part["ratio"] is None
    assert gateways["points"][0]["load"]["gateways"] == 2
    saved = sorted(file.name for file in tmp_path.iterdir())
    assert saved == ["bots.svg", "gateways.svg", "growth.json"]
