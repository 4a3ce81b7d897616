"""deploy/release.py: what a release takes. test_wheel.py has what is built of it."""

import importlib.util
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from arena import __version__
from tests.source_tree import ROOT

VERSION = "7.8.9"


def of_file(path: Path) -> ModuleType:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = of_file(ROOT / "deploy/release.py")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository from which version 7.8.9 can be released, as far as files tell."""
    monkeypatch.setattr(release, "keeps_todays_contract", lambda tree: True)
    files = {
        "CHANGELOG.md": f"# Changelog\n\n## {VERSION} - 2026-03-01\n",
        f"docs/releases/{VERSION}.md": "What is new",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(tree: Path, *words: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *who, *words], cwd=tree, check=True)


def commit(tree: Path) -> None:
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--message", "Everything")


def test_a_checkout_that_is_ready_has_no_problems(checkout: Path) -> None:
    assert list(release.problems(checkout, VERSION)) == []


def test_uncommitted_files_block_a_release(checkout: Path) -> None:
    (checkout / "stray.txt").touch()

    assert list(release.problems(checkout, VERSION)) == [
        "Commit or remove uncommitted files, such as stray.txt."
    ]


def test_a_version_is_released_once(checkout: Path) -> None:
    git(checkout, "tag", f"v{VERSION}")

    (problem,) = release.problems(checkout, VERSION)
    assert problem.startswith(f"The tag v{VERSION} already exists")


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("CHANGELOG.md", "## Unreleased", 'Give "Unreleased" in CHANGELOG.md the heading'),
        (f"docs/releases/{VERSION}.md", None, f"Write docs/releases/{VERSION}.md"),
    ],
)
def test_release_needs_changelog_and_notes(
    checkout: Path, file: str, text: str | None, told: str
) -> None:
    if text is None:
        (checkout / file).unlink()
    else:
        (checkout / file).write_text(text)
    commit(checkout)

    (problem,) = release.problems(checkout, VERSION)
    assert problem.startswith(told)


def test_the_version_is_that_of_the_sources() -> None:
    assert release.version_of(ROOT) == __version__
    changes = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(rf"^## {re.escape(__version__)} - \d{{4}}-\d\d-\d\d$", changes, re.M)


def test_the_notes_of_a_release_do_not_state_a_schema_that_others_may_replace() -> None:
    notes = (ROOT / f"docs/releases/{__version__}.md").read_text()
    assert not re.search(r"\b0\d{3}\b", notes), "arena db check names the version"
