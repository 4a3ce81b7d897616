"""Follows each recipe of docs/architecture.md once, to show that its steps are enough.

A game is in test_fifth_game.py, a projection in test_projections.py.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.store.reports import standings
from arena.tournaments.formats import FORMATS
from tests.integration.tournaments import newcomer
from tests.integration.worker_world import FakeGateway, World
from tests.source_tree import ROOT, copy_sources

# By hand, with tests and documentation; `make docs` and `make proto` write others.
MOST = {"a tournament format": 4, "a page": 5, "a setting": 2, "a field of a tournament": 4}
GENERATED_FOR_A_FIELD = 4  # two stubs, the tables of messages and of commands


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with all changes of the newcomer."""
    tree = tmp_path_factory.mktemp("changed")
    copy_sources(tree)
    for edits in newcomer.RECIPES.values():
        newcomer.edit(tree, edits)
    run(tree, "proto/generate.py")
    return tree


def run(tree: Path, *command: str) -> None:
    """Runs Python on the copy, with the tests of this checkout."""
    path = os.pathsep.join((str(tree), str(ROOT)))
    variables = os.environ | {"PYTHONPATH": path}
    command = (sys.executable, *command)
    done = subprocess.run(
        command, cwd=tree, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("to_add", newcomer.RECIPES)
def test_a_recipe_names_the_few_files_that_it_changes(to_add: str) -> None:
    row = next(
        line
        for line in (ROOT / "docs/architecture.md").read_text().splitlines()
        if line.startswith(f"| {to_add} |")
    )
    own = {name for name, change in newcomer.RECIPES[to_add].items() if isinstance(change, tuple)}
    for name in own:
        assert f"{Path(name).name}`" in row
    assert len(newcomer.RECIPES[to_add]) <= MOST[to_add]
    assert MOST["a field of a tournament"] + GENERATED_FOR_A_FIELD <= 8


@pytest.mark.long
def test_the_changes_are_enough_to_use_all_that_was_added(changed: Path) -> None:
    run(changed, "-m", "tests.integration.tournaments.newcomer")


@pytest.mark.long
def test_only_these_files_differ(changed: Path) -> None:
    differ = {
        str(file.relative_to(changed))
        for folder in ("arena", "dashboard", "proto")
        for file in (changed / folder).rglob("*.*")
        if file.is_file() and "__pycache__" not in file.parts and not same(file, changed)
    }
    written = {name for edits in newcomer.RECIPES.values() for name in edits}
    stubs = {f"arena/protocol/v1/control_pb2.{kind}" for kind in ("py", "pyi")}

    assert differ == written | stubs


def same(file: Path, tree: Path) -> bool:
    """Whether a file of the copy is the one of this checkout."""
    original = ROOT / file.relative_to(tree)
    return original.exists() and original.read_bytes() == file.read_bytes()


def test_a_format_is_planned_played_and_ranked(
    world: World, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope: dict[str, Any] = {"__name__": "neighbours"}
    exec(newcomer.FORMAT, scope)
    monkeypatch.setitem(FORMATS, "neighbours", scope["Neighbours"]())
    tournament = world.tournament(("ann", "bob", "cid"), format="neighbours", seats=2, cycles=3)
    gateway.connect(*tournament.players)

    ended = world.play_all(tournament)

    assert (ended.state, ended.played) == ("finished", 12)
    with world.store.read() as conn:
        matches = {line.bot: line.matches for line in standings.standings(conn, tournament.id)}
    assert matches == {"ann": 6, "bob": 12, "cid": 6}
