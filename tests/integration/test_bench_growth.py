"""`arena bench growth`, with a handful of bots and matches in flight."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.bench.growth import PARTS, Load, PartName
from arena.cli.app import arena

SMALL: tuple[tuple[PartName, Load], ...] = (("gateways", Load(9, 24, workers=1, gateways=2)),)


def always(load: Load) -> Callable[[int], Load]:
    return lambda _: load


def test_points_are_measured_saved_and_drawn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for part, load in SMALL:
        monkeypatch.setitem(PARTS, part, (always(load), (1,)))
    monkeypatch.setattr("arena.bench.growth_arena.WARM_S", 0.0)
    options = ("--part", "gateways", "--seconds", "1.5", "--turns", "1")

    done = CliRunner().invoke(
        arena, ["bench", "growth", *options, "--out", str(tmp_path), "--json"]
    )

    assert done.exit_code == 0, done.output
    (measured,) = json.loads(done.stdout)["growth"]
    (point,) = measured["points"]
    assert point["decisions"] >= point["messages"] > 0
    assert point["decisions_per_s"] == pytest.approx(point["decisions"] / point["seconds"])
    assert point["matches"] > 0
    assert set(point["cpu"]) == {
        "redis", "gateway", "worker", "prompt-worker", "review-worker", "beat",
        "dashboard", "bots",
    }  # fmt: skip
    assert measured["ratio"] is None
    assert (point["load"]["bots"], point["load"]["gateways"]) == (9, 2)
    saved = sorted(file.name for file in tmp_path.iterdir())
    assert saved == ["gateways.svg", "growth.json"]
