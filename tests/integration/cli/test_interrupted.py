"""Ctrl-C at any moment of a command: no traceback, exit status 130."""

import subprocess
import sys

import pytest


def interrupted(moment: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A command that is interrupted when it imports a module, or "" when it has ended."""
    command = f"""
import atexit, os, signal, sys

class Interrupting:
    def find_spec(self, name, *_):
        if name == {moment!r}:
            os.kill(os.getpid(), signal.SIGINT)

from arena.kit.main import main
sys.meta_path.insert(0, Interrupting())
if not {moment!r}:
    atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.argv = ["arena", *{words!r}]
main()
"""
    return subprocess.run(
        [sys.executable, "-P", "-c", command], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "moment", ["arena.cli", "arena.base.errors", "click", "arena.cli.app", "sqlalchemy", ""]
)
def test_a_command_is_interrupted_without_a_traceback(moment: str) -> None:
    done = interrupted(moment, "doctor", "--help")

    assert done.returncode == 130
    assert done.stderr.strip() == ""
