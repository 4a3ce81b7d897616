"""docs/exports.md names the columns that there are, in their order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.cli.export import COLUMNS

DOC = Path(__file__).parents[3] / "docs" / "exports.md"


@pytest.mark.parametrize("what", COLUMNS)
def test_the_columns_are_documented(what: str) -> None:
    section = DOC.read_text().split(f"\n## {what}\n")[1].split("\n## ")[0]
    sentence = section.split(": ", 1)[1].split(". ")[0]

    assert re.findall(r"`(\w+)`", sentence) == list(COLUMNS[what])
