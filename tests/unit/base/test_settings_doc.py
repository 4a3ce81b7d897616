"""docs/configuration.md says what the settings are."""

from __future__ import annotations

from pathlib import Path

from arena.base.config import Settings

DOC = Path(__file__).parents[3] / "docs" / "configuration.md"


def row(name: str) -> str:
    field = Settings.model_fields[name]
    default = "number of cores" if name == "workers" else field.default
    shown = f"`{default}`" if default not in ("", None) else "not set"
    return f"| `ARENA_{name.upper()}` | {shown} | {field.description} |"


def test_every_setting_is_in_the_table_with_its_default() -> None:
    told = [line for line in DOC.read_text().splitlines() if line.startswith("| `ARENA_")]
    assert told == [row(name) for name in Settings.model_fields]


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())
