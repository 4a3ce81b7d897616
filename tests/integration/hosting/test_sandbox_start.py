"""How a sandbox is started that needs another user before anything else."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.sandbox.sandbox import Command, EnterInstructions, ProcessSpec, start

USER = 61_999


class Says:
    name = "says"

    def command(self, spec: ProcessSpec) -> Command:
        return Command(["/usr/bin/id"], EnterInstructions(), {"LANG": "C.UTF-8"}, "/", USER)


SPEC = ProcessSpec(main="", arguments={}, folder=Path("/"))


def test_it_is_another_user_from_the_beginning() -> None:
    process = start(Says(), SPEC, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said, complaint = process.communicate(timeout=30)
    if os.geteuid():
        assert b"PermissionError" in complaint  # then nobody asks for that
    else:
        assert said.decode() == f"uid={USER} gid={USER} groups={USER}\n"


def test_the_process_that_starts_it_is_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """gRPC's threads do not survive a fork, which Python makes of all that `Popen` calls below."""
    asked: dict[str, Any] = {}
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **options: asked.update(options))

    start(Says(), SPEC)
    assert "stdin" in asked
    assert not asked.keys() & {"user", "group", "extra_groups", "preexec_fn", "umask"}
