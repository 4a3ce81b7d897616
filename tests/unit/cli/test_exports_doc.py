"""docs/data.md lists the columns of each export in their order."""

import re
from pathlib import Path

import pytest

from arena.cli.export import COLUMNS

DOC = Path(__file__).parents[3] / "docs" / "data.md"


@pytest.mark.parametrize("what", COLUMNS)
def test_the_columns_are_documented(what: str) -> None:
    section = re.split(r"\n##+ ", DOC.read_text().split(f"\n### {what}\n")[1])[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]

    assert re.findall(r"`(\w+)`", " ".join(cells)) == list(COLUMNS[what])
