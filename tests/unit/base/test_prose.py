"""The checker of prose finds idiom in every kind of text, and its baseline only falls."""

import json
from pathlib import Path

import pytest

from tests.prose import __main__ as checker
from tests.prose.surfaces import Line, lines

PYTHON = '''"""Nobody is told."""


def wait() -> None:
    """Waits anew."""
    # nobody comes back from here
    raise ValueError("The answer is no valid action.")
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one idiom on each surface."""
    for name in ("README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Fine.\n")
    files = {
        "docs/page.md": "A bot plays once more.\n\n```text\nonce more in code\n```\n",
        "dashboard/page.html": '<p title="Play it once more">{{ name }}</p>',
        "arena/module.py": PYTHON,
        "proto/play.proto": "// Nobody else may play here.\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_it_reads_every_surface(project: Path) -> None:
    found = list(checker.hits(lines(project)))

    surfaces = sorted({hit.line.surface for hit in found})
    assert surfaces == ["comments", "docstrings", "documents", "pages", "proto", "texts"]
    (document,) = [hit for hit in found if hit.line.surface == "documents"]
    assert (document.line.file, document.line.number, document.rule) == ("docs/page.md", 1, "anew")


def test_names_in_code_are_no_prose() -> None:
    line = Line("documents", "a.md", 1, "Call `nobody` at https://example.org/nobody now.")
    assert list(checker.hits([line])) == []


def test_more_than_the_baseline_is_refused_and_less_may_be_written(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = list(lines(project))
    monkeypatch.setattr(checker, "lines", lambda: found)
    monkeypatch.setattr(checker, "BASELINE", project / "baseline.json")
    now = checker.counted(checker.hits(found))
    checker.BASELINE.write_text(json.dumps(now))
    assert checker.main([]) == 0

    found.append(Line("pages", "dashboard/new.html", 1, "Nobody has a place here"))
    assert checker.main([]) == checker.main(["--lower"]) == 1
    assert "dashboard/new.html" in capsys.readouterr().out
    assert json.loads(checker.BASELINE.read_text()) == now

    found[:] = [line for line in found if line.surface != "pages"]
    assert checker.main(["--lower"]) == 0
    assert "pages" not in json.loads(checker.BASELINE.read_text())["surfaces"]
