"""What wheels and releases are built from, as a copy that a test may change."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("arena", "workers", "dashboard", "deploy", "proto")


def copy_sources(into: Path) -> None:
    """Copies them into a folder, without what was built of them."""
    ignored = shutil.ignore_patterns("_compiled", "__pycache__")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, into / folder, ignore=ignored)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, into)
