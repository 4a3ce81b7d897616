"""Writes the table of settings in docs/configuration.md.

    python docs/generators/settings_table.py

Each row has what `arena/base/config.py` says of a setting.
"""

from __future__ import annotations

import re
from pathlib import Path

from arena.base.config import Settings

PAGE = Path(__file__).parents[1] / "configuration.md"
ROWS = re.compile(r"(?:^\| `ARENA_.*\n)+", re.MULTILINE)


def row(name: str) -> str:
    """The row of a setting: its variable, its default, what it means."""
    field = Settings.model_fields[name]
    default = "number of cores" if name == "workers" else field.default
    shown = f"`{default}`" if default not in ("", None) else "not set"
    return f"| `ARENA_{name.upper()}` | {shown} | {field.description} |"


def page(text: str) -> str:
    """The page with the table as it should be."""
    rows = "".join(f"{row(name)}\n" for name in Settings.model_fields)
    return ROWS.sub(lambda _: rows, text, count=1)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
