"""Files and names that docs/architecture.md speaks of exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/architecture.md").read_text()
MADE = {"arena/_compiled/"}  # where there is a C compiler
NAMED = sorted(
    set(re.findall(r"`((?:arena|workers|dashboard|proto|tests|docs)/[\w./-]*)`", TEXT)) - MADE
)
WALK = TEXT.split("## A walk: a result from match to page")[1].split("\n## ")[0]


@pytest.mark.parametrize("path", NAMED)
def test_what_is_named_is_there(path: str) -> None:
    assert (ROOT / path).exists()


def test_the_walk_of_a_result_names_what_its_files_define() -> None:
    code = "\n".join(
        (ROOT / path).read_text() for path in NAMED if path in WALK and path.endswith(".py")
    )
    names = [name for name in re.findall(r"`(\w+)`", WALK) if name not in ("arena", "PROJECTIONS")]
    assert {"save_results", "MatchResult", "Change"} <= set(names)
    for name in names:
        assert re.search(rf"(?:class|def) {name}\b", code), name


def test_the_walk_of_a_result_is_in_the_order_of_the_projections() -> None:
    from arena.store.projections import PROJECTIONS

    modules = [type(each).__module__.rpartition(".")[2] for each in PROJECTIONS]
    places = [WALK.index(f"{module}.py") for module in modules]
    assert places == sorted(places)
