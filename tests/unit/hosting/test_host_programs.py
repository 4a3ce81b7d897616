"""What a manifest asks for, as a program that a host can run."""

from pathlib import Path

import pytest

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.program import Program
from arena.hosting.submission.manifest import Manifest
from arena.service.host.programs import program_of


def program(manifest: Manifest) -> Program:
    return program_of(manifest, Path("/bots/ada"), b"key", "ada", "1")


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of the machine that is called node."""
    monkeypatch.setenv("PATH", str(tmp_path))
    file = tmp_path / "node"
    file.touch(0o755)
    return file


def test_a_program_of_the_machine_can_be_read_in_the_sandbox(node: Path) -> None:
    found = program(Manifest(language="node", command=["node", "bot.js"]))

    assert found.command == (str(node), "bot.js")
    assert node in found.spec().readable


def test_only_uploaded_paths_are_shown_in_the_sandbox(node: Path) -> None:
    for name in ("./bot", "/etc/shadow", "../eve/secret", str(node)):
        found = program(Manifest(language="node", command=[name]))
        assert Path(name) not in found.spec().readable
        assert found.spec().readable == program(Manifest(entry="bot.py")).spec().readable


def test_a_program_that_the_machine_does_not_have_is_said(node: Path) -> None:
    with pytest.raises(InvalidRequest, match="This host has no deno. Ask its operator"):
        program(Manifest(language="node", command=["deno", "bot.js"]))


def test_an_authors_variables_are_for_the_bots_process_and_not_for_the_sandbox() -> None:
    spec = program(Manifest(entry="bot.py", environment={"LD_PRELOAD": "./bot.so"})).spec()

    assert spec.arguments["environment"] == {"LD_PRELOAD": "./bot.so"}
    assert not hasattr(spec, "environment")
