"""A copy of the sources of wheels and releases, which a test may change."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("arena", "workers", "dashboard", "deploy", "proto")


def copy_sources(into: Path) -> None:
    """Copies the sources into a folder, without build results."""
    ignored = shutil.ignore_patterns("_compiled", "__pycache__")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, into / folder, ignore=ignored)
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, into)
